import fc from 'fast-check';
import type { Metered } from '../../machines/rules/price-model.ts';
import { chargeFor, levelOf, unitsLeft } from '../../machines/rules/usage.ts';
import { unchargedAtEnd } from '../../machines/subscription/usage.ts';
import type { EventOf } from '../../machines/versions.ts';
import { CANCEL, CANCEL_AT_END, COVERED, NO_WALLET, RETRY, TestSubscription } from './support/subscription.ts';
import { type Happening, happening } from './support/walk.ts';

/** Two units free, then 300 each, and 100 each above 10: 100 base units are one cent of this test. */
const MODEL: Metered = {
  kind: 'metered',
  tiers: [
    { above: 0, unitAmount: '0' },
    { above: 2, unitAmount: '300' },
    { above: 10, unitAmount: '100' },
  ],
  capAmount: '3000',
  aboveCap: 'carry',
};
const CAP = 3_000n;
const DAY_MS = 86_400_000;
const LEAST = 700n;

describe('the price of a period', () => {
  it.each([
    // units, carried before, charge, carried after, level, units left
    [0, 0n, 0n, 0n, 0, 16],
    [10, 0n, 2_400n, 0n, 80, 6],
    [16, 0n, 3_000n, 0n, 100, 0],
    [17, 0n, 3_000n, 100n, 103, 0],
    [0, 100n, 100n, 0n, 3, 15],
    [2, 6_500n, 3_000n, 3_500n, 216, 0],
  ])('of %d units after %d carried', (units, before, amount, carried, level, left) => {
    expect(chargeFor(MODEL, units, before)).toEqual({ amount, carried });
    expect([levelOf(MODEL, units, before), unitsLeft(MODEL, units, before)]).toEqual([level, left]);
  });

  it('is nothing below the least amount, which waits for the next period', () => {
    const least = { ...MODEL, leastAmount: '900' };
    expect(chargeFor(least, 4, 299n)).toEqual({ amount: 0n, carried: 899n });
    expect(chargeFor(least, 5, 0n)).toEqual({ amount: 900n, carried: 0n });
  });

  it('has no end where further units cost nothing', () => {
    const flat = { ...MODEL, tiers: [...MODEL.tiers, { above: 12, unitAmount: '0' }] };
    expect(unitsLeft(flat, 1, 0n)).toBeNull();
    expect(unitsLeft({ ...flat, capAmount: '2550' }, 1, 0n)).toBe(10);
  });
});

const tiers = fc
  .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 3 })
  .chain((above) =>
    fc
      .array(fc.integer({ min: 0, max: 50 }), { minLength: above.length + 1, maxLength: above.length + 1 })
      .map((prices) =>
        [0, ...above.sort((a, b) => a - b)].map((each, at) => ({ above: each, unitAmount: String(prices[at]) })),
      ),
  );
const models = fc
  .tuple(tiers, fc.integer({ min: 1, max: 900 }), fc.nat({ max: 100 }))
  .map(([each, cap, least]): Metered => {
    const leastAmount = String(Math.min(least, cap));
    return { ...MODEL, tiers: each, capAmount: String(cap), leastAmount };
  });

/** An oracle of its own: the price of one unit after the other. */
function pricedSingly(model: Metered, units: number): bigint {
  let sum = 0n;
  for (let unit = 1; unit <= units; unit += 1) {
    const tier = model.tiers.filter(({ above }) => above < unit).at(-1);
    sum += BigInt(tier?.unitAmount ?? 0);
  }
  return sum;
}

describe('any price by use', () => {
  it('is the sum of the prices of its units, within the cap, and the rest is carried', () => {
    fc.assert(
      fc.property(models, fc.nat({ max: 60 }), fc.bigInt({ min: 0n, max: 2_000n }), (model, units, before) => {
        const { amount, carried } = chargeFor(model, units, before);
        expect(amount + carried).toBe(before + pricedSingly(model, units));
        expect(amount <= BigInt(model.capAmount)).toBe(true);
        const least = BigInt(model.leastAmount ?? 0);
        if (amount === 0n) expect(carried === 0n || carried < least).toBe(true);
        else expect(amount >= least && (carried === 0n || amount === BigInt(model.capAmount))).toBe(true);
      }),
    );
  });

  it('leaves so many units that one more would be above the cap', () => {
    fc.assert(
      fc.property(models, fc.nat({ max: 60 }), (model, units) => {
        const left = unitsLeft(model, units, 0n);
        const cap = BigInt(model.capAmount);
        if (left === null) expect(pricedSingly(model, 200)).toBe(pricedSingly(model, 100));
        else if (pricedSingly(model, units) > cap) expect(left).toBe(0);
        else expect([units + left, units + left + 1].map((n) => pricedSingly(model, n) <= cap)).toEqual([true, false]);
      }),
    );
  });
});

const TERMS = { amount: MODEL.capAmount, model: MODEL };
const FEB = '2026-02-28T10:00:00.000Z';
const MAR = '2026-03-31T10:00:00.000Z';
const APR = '2026-04-30T10:00:00.000Z';

/** Charged from 900 on, and at most 4,000 in any 30 days. */
const THRESHOLD: Metered = { ...MODEL, thresholdAmount: '900', windowCapAmount: '4000' };

/** By use since 31 January, whose payer has agreed. */
function metered(terms: object = {}): TestSubscription {
  return new TestSubscription({ terms: { ...TERMS, ...terms } }).goes(COVERED);
}

const used = (units: number) => ({ ready: true, used: units }) as const;
const seen = (units: number) => ({ type: 'usage.seen', used: units }) as const;

describe('a price with a threshold', () => {
  const withThreshold = () => metered({ model: THRESHOLD });
  const FEB_3 = '2026-02-03T10:00:00.000Z';

  /** Its first charge, of 900, has settled on 3 February. */
  function charged(): TestSubscription {
    const made = withThreshold().at(FEB_3).goes(seen(5));
    made.falls(used(5));
    return made.goes('settles');
  }

  it('is charged as soon as the use costs so much, in the first period too, which stays as it is', () => {
    const made = withThreshold().at(FEB_3);
    expect([made.refuses(seen(4)), made.due]).toEqual([true, FEB]);
    expect(made.goes(seen(5)).due).toBe(FEB_3);
    made.falls(used(5));
    const usage = { units: 5, from: '2026-01-31T10:00:00.000Z', to: FEB_3 };
    expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', cycle: 1, amount: '900', usage });
    made.settles();
    expect([made.stateName, made.due, made.context.currentPeriodEnd]).toEqual(['active.waiting', FEB, FEB]);
  });

  it('has its rest charged at the end of the period: included units and tiers are those of the whole period', () => {
    const made = charged();
    made.falls(used(7));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 2, amount: '600', usage: { units: 2, from: FEB_3, to: FEB } });
    made.goes('settles').falls(used(10));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 3, amount: '300', usage: { units: 3 } });
  });

  it('keeps the paid period when it is charged in its middle, also after a failure and a retry', () => {
    const made = charged().at('2026-02-10T10:00:00.000Z').goes(seen(10));
    made.falls(used(10));
    made.goes('fails').at('2026-02-11T10:00:00.000Z').goes(RETRY);
    expect([made.stateName, made.context.open]).toMatchObject(['past_due.charging', { number: 2, attempt: 2 }]);
    made.settles();
    expect([made.stateName, made.context.periodIndex, made.due]).toEqual(['active.waiting', 0, FEB]);
  });

  it('comes ten minutes after the charge before at least', () => {
    const made = charged().goes(seen(10));
    expect(made.due).toBe('2026-02-03T10:10:00.000Z');
  });

  it('counts what is used while a charge is in flight for the next one', () => {
    const made = withThreshold().at(FEB_3).goes(seen(5));
    made.falls(used(5));
    made.goes(seen(10), 'settles');
    expect(made.due).toBe('2026-02-03T10:10:00.000Z');
  });

  it('is not reached where a discount leaves nothing to pay, and asks again when the discount changes', () => {
    const free = { couponId: 'cpn_1', code: null, off: { kind: 'percent', bps: 10_000 }, cyclesLeft: null } as const;
    const made = withThreshold().at(FEB_3).goes({ type: 'discount.requested', discount: free });
    expect(made.goes(seen(10)).due).toBe(FEB);
    made.goes({ type: 'discount.requested', discount: null }, seen(11));
    expect(made.due).toBe(FEB_3);
    expect(made.goes({ type: 'discount.requested', discount: free }).due).toBe(FEB);
  });

  it('is not charged during a pause, but right after it', () => {
    const made = charged().at('2026-02-04T10:00:00.000Z');
    made.send({ type: 'pause.requested', until: null, pausedBy: 'merchant', periodEnd: 'moves' });
    expect([made.goes(seen(10)).stateName, made.due]).toEqual(['active.paused', null]);
    made.at('2026-02-08T10:00:00.000Z').send({ type: 'resume.requested' });
    expect([made.stateName, (made.due ?? '') <= '2026-02-08T10:00:00.000Z']).toEqual(['active.waiting', true]);
  });

  describe('with a limit of 30 days', () => {
    /** 900 and 3,000 are charged by 4 February. */
    function full(): TestSubscription {
      const made = charged().at('2026-02-04T10:00:00.000Z').goes(seen(40));
      made.falls(used(40));
      return made.goes('settles');
    }

    it('waits until the limit allows its charge: no failure, and no wake before', () => {
      const made = full();
      const before = made.asked.length;
      expect(made.falls(used(40))).toEqual([]);
      // The carried 1,500 wait until the bucket with both charges is 30 days ago, and an hour for the clocks.
      expect([made.asked.length, made.stateName]).toEqual([before, 'active.waiting']);
      const waits = made.context.usage?.waitsUntil ?? '';
      expect([made.due, waits > '2026-03-05', waits < '2026-03-11']).toEqual([waits, true, true]);
      made.falls(used(40));
      expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', amount: '1500' });
    });

    it('charges within it what the end of the subscription has left, later', () => {
      const made = full().at('2026-02-05T10:00:00.000Z');
      made.send({ ...CANCEL, charge: used(40) });
      const opened = made.opened.find(({ cycle }) => cycle === 3);
      expect(opened).toMatchObject({ notBefore: expect.stringMatching(/^2026-03-/) });
    });

    it.each(['0xpayer', '0xanother'])('goes on when %s signs a new mandate', (wallet) => {
      const consent = { router: '0xrouter', mandateId: '0xnew' };
      const made = full().goes({ type: 'payer.authorized', wallet, consent });
      expect(made.context.usage?.taken).toEqual([{ bucket: expect.any(Number), amount: '3900' }]);
    });
  });
});

describe('a subscription by use', () => {
  it('is charged after its first period, and each cycle has what was used since the last one', () => {
    const made = metered();
    expect([made.stateName, made.due, made.context.risk.lookAt]).toEqual(['pending.waiting', FEB, null]);
    made.falls(used(5));
    const usage = { units: 5, from: '2026-01-31T10:00:00.000Z', to: FEB };
    expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', cycle: 1, amount: '900', usage, periodEnd: FEB });
    made.settles();
    expect([made.stateName, made.context.currentPeriodEnd, made.context.terms.amount]).toEqual([
      'active.waiting',
      MAR,
      MODEL.capAmount,
    ]);
    made.falls(used(9));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 2, amount: '600', usage: { units: 4, from: FEB, to: MAR } });
  });

  it('passes a period without anything to charge, in its trial and later, ready or not', () => {
    const made = metered();
    expect(made.falls(used(2))).toEqual([]);
    expect([made.stateName, made.due, made.context.cyclesCompleted]).toEqual(['pending.waiting', MAR, 1]);
    made.falls({ ...NO_WALLET, used: 4 });
    expect([made.stateName, made.due, made.context.trialEnd]).toEqual(['pending.waiting', APR, APR]);
    made.falls(used(8));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 3, amount: '600', usage: { units: 4, from: MAR } });
    made.settles();
    made.falls(used(8));
    expect([made.stateName, made.context.currentPeriodEnd, made.context.cyclesCompleted]).toEqual([
      'active.waiting',
      '2026-06-30T10:00:00.000Z',
      4,
    ]);
  });

  it('passes a period without anything to charge also while another payer has not agreed', () => {
    const made = metered();
    made.falls(used(5));
    made.goes('settles', { type: 'payer.authorized', wallet: '0xanother' }).falls(used(6));
    expect([made.stateName, made.context.cyclesCompleted]).toEqual(['active.waiting', 2]);
  });

  it('begins its trial with the period after the payer has agreed, at the latest', () => {
    const made = new TestSubscription({ terms: TERMS }).at('2026-03-10T10:00:00.000Z').goes(COVERED);
    expect(made.falls(used(1))).toContain('subscription.trialing');
    expect([made.context.trialStartedAt, made.due]).toEqual(['2026-03-10T10:00:00.000Z', MAR]);
    expect(made.falls(used(1))).not.toContain('subscription.trialing');
  });

  it('carries what is above the cap to the next cycles, also to those without use', () => {
    const made = metered().goes();
    made.falls(used(60));
    expect(made.asked.at(-1)).toMatchObject({ amount: '3000' });
    made.goes('settles').falls(used(60));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 2, amount: '3000', usage: { units: 0 } });
    made.goes('settles').falls(used(60));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 3, amount: '1400' });
    made.goes('settles').falls(used(60));
    expect(made.context.cyclesCompleted).toBe(4);
  });

  it('carries what is too little for a charge to the first cycle that has enough', () => {
    const made = metered({ model: { ...MODEL, leastAmount: '700' } });
    made.falls(used(4));
    expect([made.stateName, made.context.cyclesCompleted, made.context.usage?.carried]).toEqual([
      'pending.waiting',
      1,
      '600',
    ]);
    made.falls(used(7));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 2, amount: '900', usage: { units: 3, from: FEB } });
  });

  it('keeps the amount of an open cycle; what is used meanwhile is of the next', () => {
    const made = metered();
    made.falls(used(5));
    made.goes('settles').falls(used(8));
    made.fails();
    made.falls(used(20));
    expect(made.opened.at(-1)).toMatchObject({ cycle: 2, attempt: 2, amount: '300' });
    made.goes('settles').falls(used(21));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 3, amount: '2700', usage: { units: 13, from: MAR } });
  });

  it('charges the last use once when its scheduled end is due, and follows that charge', () => {
    const made = metered();
    made.falls(used(5));
    made.goes('settles', CANCEL_AT_END).falls(used(8));
    expect([made.stateName, made.context.ended?.reason]).toEqual(['canceled.closing', 'requested']);
    expect(made.opened.at(-1)).toMatchObject({ cycle: 2, amount: '300' });
    made.fails();
    expect([made.stateName, made.context.wakeAt]).toEqual(['canceled.closed', null]);
  });

  it('ends without a charge if nothing is left to pay, nobody can be paid, or its customer is deleted', () => {
    for (const charge of [used(2), { ...NO_WALLET, used: 9 }]) {
      const made = metered().goes(CANCEL_AT_END);
      made.falls(charge);
      expect(made.stateName).toBe('canceled.closed');
    }
    const deleted = metered().goes({ ...CANCEL, reason: 'customer_deleted' });
    expect(deleted.stateName).toBe('canceled.closed');
  });

  it('charges the last use when it is canceled at once, in its first period too', () => {
    const made = metered().goes({ ...CANCEL, charge: used(8) });
    expect(made.stateName).toBe('canceled.closing');
    expect(made.opened.at(-1)).toMatchObject({ cycle: 1, amount: '1800' });
    const later = metered();
    later.falls(used(5));
    later.goes('settles', { ...CANCEL, charge: used(8) });
    expect([later.stateName, later.context.ended?.reason]).toEqual(['canceled.closing', 'requested']);
    expect(later.settles()).toEqual(['payment.succeeded']);
    const unpaid = metered();
    unpaid.falls(used(5));
    unpaid.goes('fails', { ...CANCEL, charge: used(8) });
    expect(unpaid.stateName).toBe('canceled.closed');
  });

  it('waits with the last charge until its mandate allows it', () => {
    const made = metered().goes({ ...CANCEL, charge: used(8), notBefore: FEB });
    expect(made.stateName).toBe('canceled.closing');
    expect(made.opened.at(-1)).toMatchObject({ amount: '1800', notBefore: FEB });
  });

  it('says what nobody would pay if it ended now, and what nobody has paid after its end', () => {
    const uncharged = (made: TestSubscription, units: number) => unchargedAtEnd(made.context, units);
    const made = metered({ model: { ...MODEL, leastAmount: '700' } });
    expect([4, 5, 60].map((units) => uncharged(made, units))).toEqual([600n, 0n, 4_400n]);
    made.falls(used(5));
    expect(uncharged(made, 12)).toBe(1_500n);
    made.goes('settles');
    expect(uncharged(made, 12)).toBe(0n);
    made.goes({ ...CANCEL, charge: used(60) });
    expect([uncharged(made, 60), uncharged(metered().goes(CANCEL), 8)]).toEqual([3_900n, 1_800n]);
  });

  it('keeps the period of the use when a paid cycle is reorged out, and is due when it was', () => {
    const made = metered();
    made.falls(used(5));
    made.settles();
    const [from, to] = ['2026-01-31T10:00:00.000Z', FEB];
    made.send({ type: 'charge.reorged', cycle: 1, attempt: 1, paymentId: 'pay_1', periodStart: from, periodEnd: to });
    expect(made.context.open).toMatchObject({ periodStart: FEB, periodEnd: MAR, usage: { from, to } });
    made.falls(used(9));
    expect(made.opened.at(-1)).toMatchObject({ cycle: 1, attempt: 2, periodStart: from, periodEnd: to });
    made.goes('settles').falls(used(9));
    expect(made.asked.at(-1)).toMatchObject({ cycle: 2, amount: '600', usage: { units: 4 } });
  });

  it('charges the first use at its end too', () => {
    const made = metered().goes(CANCEL_AT_END);
    made.falls(used(8));
    expect([made.stateName, made.due]).toEqual(['canceled.closing', null]);
    expect(made.settles()).toEqual(['payment.succeeded', 'count unit']);
  });

  it('has as many cycles as its price says, each with its period before, and ends at once', () => {
    const made = metered({ maxCycles: 2 });
    made.falls(used(5));
    made.goes('settles').falls(used(8));
    made.settles();
    expect(made.due).toBe(MAR);
    expect(made.falls(used(8))).toEqual(expect.arrayContaining(['subscription.canceled/max_cycles_reached']));
    const free = metered({ maxCycles: 1 });
    free.falls(used(1));
    expect([free.stateName, free.context.ended?.reason]).toEqual(['canceled.closed', 'max_cycles_reached']);
  });

  it('tells each level of the cap once in a period, at the latest when the cycle opens', () => {
    const made = metered();
    const levels = (effects: readonly string[]) => effects.filter((each) => each.includes('usage_threshold')).length;
    expect(made.refuses(seen(9))).toBe(true);
    expect(levels(made.send(seen(10)))).toBe(1);
    expect(made.refuses(seen(15))).toBe(true);
    expect(levels(made.falls(used(30)))).toBe(1);
    made.settles();
    // 1,400 are carried.
    expect(levels(made.send(seen(36)))).toBe(1);
    expect(levels(made.send(seen(60)))).toBe(1);
    expect(levels(made.falls(used(60)))).toBe(0);
  });

  it('is charged on a retry after what blocked it', () => {
    const made = metered();
    made.falls({ ...NO_WALLET, used: 5 });
    expect(made.context.deferred?.why).toBe('no_payout_wallet');
    made.send({ ...RETRY, charge: used(6) });
    expect(made.opened.at(-1)).toMatchObject({ amount: '1200' });
  });
});

const step = fc.oneof(
  { weight: 8, arbitrary: happening.map((what): Happening | number => what) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 25 }) },
);

function amountOpened({ opened }: TestSubscription, cycle: number): bigint {
  return BigInt(opened.findLast((each) => each.cycle === cycle)?.amount ?? 0);
}

/** What the service adds: the total, as it is read. */
function withUse(event: EventOf<'subscription'>, total: number): EventOf<'subscription'> {
  switch (event.type) {
    case 'cycle.due':
    case 'retry.requested':
      return { ...event, charge: { ...event.charge, used: total } };
    case 'cancel.requested':
      return event.atPeriodEnd ? event : { ...event, charge: used(total) };
    default:
      return event;
  }
}

const FLAT: Metered = { ...THRESHOLD, tiers: [{ above: 0, unitAmount: '100' }] };
const LIMIT = BigInt(THRESHOLD.windowCapAmount ?? 0);

it.each([
  ['of each period', MODEL],
  ['since the charge before, and no 30 days have more than the limit', FLAT],
])('whatever happens, all charges and what is carried are the price of the use %s', (_of, price) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }), (steps) => {
      const model = { ...price, leastAmount: String(LEAST) };
      const made = metered({ model });
      const settled: { readonly at: number; readonly amount: bigint }[] = [];
      let [total, billed, owed, charged] = [0, 0, 0n, 0n];
      for (const each of steps) {
        if (typeof each === 'number') total += each;
        const event = typeof each === 'number' ? seen(total) : each.event(made, made.opened);
        if (event === null) continue;
        const told = withUse(event, total);
        if (made.refuses(told)) continue;
        const [before, cycles] = [made.opened.length, made.context.lastCycle];
        const { open, cyclesCompleted } = made.context;
        made.send(told);
        if (told.type === 'charge.settled' && made.context.cyclesCompleted > cyclesCompleted && open !== null)
          settled.push({ at: Date.parse(made.now), amount: amountOpened(made, open.number) });
        if (made.context.lastCycle > cycles) {
          owed += pricedSingly(model, total - billed);
          billed = total;
        }
        for (const effect of made.opened.slice(before)) {
          if (effect.attempt > 1) continue;
          expect(BigInt(effect.amount) >= LEAST && BigInt(effect.amount) <= CAP).toBe(true);
          charged += BigInt(effect.amount);
          const at = Date.parse(effect.notBefore ?? made.now);
          const recent = settled.filter((charge) => charge.at > at - 30 * DAY_MS);
          const sum = recent.reduce((all, { amount }) => all + amount, BigInt(effect.amount));
          if (price === FLAT) expect(sum <= LIMIT).toBe(true);
        }
        expect(charged + BigInt(made.context.usage?.carried ?? 0)).toBe(owed);
      }
    }),
    { numRuns: 150 },
  );
});
