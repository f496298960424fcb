import { addDays, later, periodAt } from '../../machines/rules/period.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  CANCELED,
  COMPLETED,
  COVERED,
  charging,
  DUE,
  dunned,
  FAILED_FOR_GOOD,
  MONTHLY,
  NO_WALLET,
  pastDue,
  REORGED,
  RESUME,
  RETRY,
  renewing,
  retrying,
  START,
  TestSubscription,
  UNCOVERED,
} from './support/subscription.ts';

/** The days of its failed attempts after the first one, until it was canceled. */
function failsUntilCanceled(made: TestSubscription): { days: number[]; last: readonly string[] } {
  const first = made.now;
  const days = [0];
  let last: readonly string[] = made.fails();
  while (made.context.ended === null) {
    made.falls();
    days.push((Date.parse(made.now) - Date.parse(first)) / 86_400_000);
    last = made.fails();
  }
  return { days, last };
}

describe('a new subscription', () => {
  it('emits its creation, requests a check of the allowance, and waits for nothing else', () => {
    const made = new TestSubscription();
    expect(made.asked).toEqual([
      {
        type: 'webhook.emit',
        event: 'subscription.created',
        data: { subscriptionId: 'sub_1', offerId: 'offer_1', priceId: 'price_1', status: 'pending' },
      },
      { type: 'allowance.watch', interest: 'charge' },
    ]);
    expect(made.context).toMatchObject({ wakeAt: null, currentPeriodEnd: null, lastCycle: 0 });
  });

  it('falls due at once when the allowance first covers the charge', () => {
    const made = new TestSubscription().at('2026-02-03T00:00:00.000Z');
    expect(made.send(COVERED)).toEqual(['unwatch']);
    expect(made.context).toMatchObject({ authorizedAt: made.now, allowanceConfirmed: true, wakeAt: made.now });
  });

  it('is billed to the first linked wallet, and to no other', () => {
    const made = new TestSubscription({ payerWallet: null }).goes({ type: 'payer.linked', wallet: '0xlinked' });
    expect(made.refuses({ type: 'payer.linked', wallet: '0xother' })).toBe(true);
    made.goes(COVERED, 'falls');
    expect(made.opened.at(-1)?.fromWallet).toBe('0xlinked');
  });

  it('is attempted, and fails, if it was authorized once and revoked since', () => {
    const made = new TestSubscription({ trialDays: 14 }).goes(COVERED, UNCOVERED);
    expect([made.context.allowanceConfirmed, made.due]).toEqual([false, addDays(START, 14)]);
    expect(made.falls()).toEqual(['open 1.1']);
  });
});

describe('the first charge', () => {
  it('that settles is emitted with the id of its invoice', () => {
    expect(active().asked).toContainEqual({
      type: 'webhook.emit',
      event: 'payment.succeeded',
      data: { subscriptionId: 'sub_1', invoiceId: 'sub-pay-1' },
    });
  });

  it('anchors the periods at its opening, not at its settlement', () => {
    const made = charging().at('2026-02-02T00:00:00.000Z').goes('settles');
    expect(made.context).toMatchObject({ anchor: START, currentPeriodEnd: '2026-02-28T10:00:00.000Z' });
  });

  it('of a retry anchors them at the time of the retry', () => {
    expect(dunned().goes('falls', 'settles').context).toMatchObject({
      anchor: '2026-02-01T10:00:00.000Z',
      currentPeriodEnd: '2026-03-01T10:00:00.000Z',
    });
  });

  it('that is late pays for the period from its own time, and nothing is due right after', () => {
    const made = new TestSubscription().goes(COVERED).at('2026-06-15T00:00:00.000Z').goes(DUE, 'settles');
    expect([made.context.anchor, made.due]).toEqual([made.now, '2026-07-15T00:00:00.000Z']);
  });
});

describe('a trial', () => {
  const trialEnd = addDays(START, 14);

  function inTrial(authorizedOnDay = 1): TestSubscription {
    return new TestSubscription({ trialDays: 14 }).at(addDays(START, authorizedOnDay)).goes(COVERED);
  }

  function deferred(): TestSubscription {
    return inTrial()
      .at(trialEnd)
      .goes({ ...DUE, charge: NO_WALLET });
  }

  it('shows its end as the end of the current period, and is charged there', () => {
    const made = inTrial();
    expect([made.context.currentPeriodEnd, made.due]).toEqual([trialEnd, trialEnd]);
    expect(made.falls()).toEqual(['open 1.1']);
    expect(made.now).toBe(trialEnd);
  });

  it('starts once, when its payer first agrees within it', () => {
    const made = new TestSubscription({ trialDays: 14 }).at(addDays(START, 1));
    expect(made.send(COVERED)).toEqual(['subscription.trialing', 'unwatch']);
    const trialStartedAt = made.now;
    made.at(addDays(START, 2)).goes(UNCOVERED, { type: 'payer.authorized', wallet: '0xother' });
    expect(made.send(COVERED)).toEqual(['unwatch']);
    expect(made.context).toMatchObject({ trialStartedAt, authorizedAt: made.now });
    const late = new TestSubscription({ trialDays: 14 }).at(trialEnd);
    expect([late.send(COVERED), late.context.trialStartedAt]).toEqual([['unwatch'], null]);
  });

  it.each([
    [
      'its end, though that attempt was a little late',
      inTrial().at(later(trialEnd, 3_000)).goes(DUE, 'settles'),
      trialEnd,
    ],
    ['the retry of a failed attempt', inTrial().goes('falls', 'fails', 'falls', 'settles'), addDays(trialEnd, 1)],
    ['the time to which that attempt was deferred', deferred().goes('falls', 'settles'), later(trialEnd, 15_000)],
    ['an authorization after its end', inTrial(20).goes('falls', 'settles'), addDays(START, 20)],
    ['a charge that is requested', inTrial().at(addDays(START, 3)).goes('isAsked', 'settles'), addDays(START, 3)],
  ])('anchors the periods at %s', (_, { context }, anchor) => {
    const { end: currentPeriodEnd } = periodAt(anchor, MONTHLY.interval, 0);
    expect(context).toMatchObject({ anchor, currentPeriodEnd });
  });

  it('continues if its charge is requested but deferred', () => {
    const made = inTrial().at(addDays(START, 3));
    expect(made.refuses({ type: 'cycle.due', asked: true, charge: NO_WALLET })).toBe(true);
    expect([made.due, made.context.deferred]).toEqual([trialEnd, null]);
  });

  it('buys the present after downtime over its end, and nothing is due right after', () => {
    const made = inTrial()
      .at(addDays(START, 14 + 45))
      .goes(DUE, 'settles');
    expect(made.context).toMatchObject({ cyclesCompleted: 1, anchor: trialEnd });
    expect(made.due).toBe('2026-04-14T10:00:00.000Z');
  });
});

describe('a renewal', () => {
  it('is due at the end of the period, and requests the next one', () => {
    const made = active();
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.opened.at(-1)).toEqual({
      type: 'charge.open',
      cycle: 2,
      attempt: 1,
      amount: '9900000',
      tokenKey: 'usdc-local-evm',
      priceId: 'price_1',
      fromWallet: '0xpayer',
      periodStart: '2026-02-28T10:00:00.000Z',
      periodEnd: '2026-03-31T10:00:00.000Z',
      forcedFailure: null,
    });
  });

  it('that settles emits only the payment, and moves to periods that are clamped and return', () => {
    const made = active();
    const ends = [made.context.currentPeriodEnd];
    for (let cycle = 2; cycle <= 5; cycle += 1) {
      made.falls();
      expect(made.settles()).toEqual(['payment.succeeded']);
      ends.push(made.context.currentPeriodEnd);
    }
    expect(ends.map((end) => end?.slice(5, 10))).toEqual(['02-28', '03-31', '04-30', '05-31', '06-30']);
    expect(made.context).toMatchObject({ cyclesCompleted: 5, lastCycle: 5 });
  });

  it('waits for the result of an attempt in flight, however long: grace and limits too', () => {
    const made = retrying();
    made.at(addDays(made.now, 30));
    expect(made.context.wakeAt).toBeNull();
    expect(made.refuses(DUE)).toBe(true);
    made.fails();
    expect(made.context).toMatchObject({ ended: null, wakeAt: addDays('2026-02-28T10:00:00.000Z', 3) });
    made.at(addDays(made.now, 1)).goes(DUE, 'fails');
    expect(made.context.ended?.reason).toBe('grace_expired');
  });

  it('is tried once more after downtime before the grace may end it', () => {
    const made = pastDue();
    made.at(addDays(made.now, 60));
    expect(made.send(DUE)).toEqual(['open 2.2', 'unwatch']);
    made.settles();
    expect(made.stateName).toBe('active.waiting');
  });
});

it.each([
  ['a first charge', charging(), { cyclesCompleted: 0, pastDueSince: null }, ['free unit']],
  ['a renewal', renewing(), { cyclesCompleted: 1, pastDueSince: renewing().now }, []],
])('%s that keeps failing is tried on five days as one cycle, and the last failure ends it', (_, made, as, frees) => {
  const { cycle } = made.attempt;
  const { days, last } = failsUntilCanceled(made);
  expect(days).toEqual([0, 1, 3, 5, 7]);
  expect(last).toEqual(['payment.failed/insufficient_allowance', ...frees, ...FAILED_FOR_GOOD]);
  const ended = { reason: 'grace_expired', at: made.now };
  expect(made.context).toMatchObject({ ...as, ended, consecutiveFailures: 5, wakeAt: null });
  expect(made.opened.slice(-5)).toMatchObject([1, 2, 3, 4, 5].map((attempt) => ({ cycle, attempt })));
});

describe('a late charge buys the present', () => {
  it('after downtime over several periods: one charge, for the period that contains it', () => {
    const made = active().at('2026-05-10T00:00:00.000Z').goes(DUE);
    expect(made.opened.at(-1)).toMatchObject({ cycle: 2, periodStart: '2026-04-30T10:00:00.000Z' });
    made.settles();
    expect(made.context).toMatchObject({
      cyclesCompleted: 2,
      lastCycle: 2,
      currentPeriodEnd: '2026-05-31T10:00:00.000Z',
    });
    expect(made.due).toBe('2026-05-31T10:00:00.000Z');
  });

  it('in a recovery of a daily subscription: the same cycle number, another period', () => {
    const made = renewing({ terms: { interval: { unit: 'day', count: 1 } } });
    expect(made.opened.at(-1)?.periodStart).toBe(addDays(START, 1));
    made.fails();
    made.at(addDays(START, 3.5)).send(RETRY);
    expect(made.opened.at(-1)).toMatchObject({
      cycle: 2,
      attempt: 2,
      periodStart: addDays(START, 3),
      periodEnd: addDays(START, 4),
    });
    made.settles();
    expect(made.context).toMatchObject({ anchor: START, periodIndex: 3, wakeAt: addDays(START, 4) });
    expect(made.falls()).toEqual(['open 3.1']);
  });

  it.each([
    ['keeps its period while that has not passed completely', '2026-03-31T09:59:59.999Z', '2026-02-28T10:00:00.000Z'],
    [
      'takes the next one from the time at which that has passed',
      '2026-03-31T10:00:00.000Z',
      '2026-03-31T10:00:00.000Z',
    ],
  ])('%s', (_, moment, periodStart) => {
    expect(pastDue().at(moment).goes(RETRY).opened.at(-1)?.periodStart).toBe(periodStart);
  });

  it('before the anchor is set starts the first period itself', () => {
    const made = dunned({ terms: { interval: { unit: 'day', count: 1 } } });
    made.at(addDays(START, 4)).goes(RETRY, 'settles');
    expect(made.context).toMatchObject({ anchor: addDays(START, 4), wakeAt: addDays(START, 5) });
  });
});

describe('maxFailedCycles', () => {
  it('counts failures in a row only: a settled charge resets them', () => {
    const made = pastDue({ terms: { maxFailedCycles: 2 } }).goes('falls', 'settles', 'falls', 'fails');
    expect(made.context).toMatchObject({ ended: null, consecutiveFailures: 1 });
    made.goes('falls', 'fails');
    expect(made.context.ended?.reason).toBe('max_failed_cycles_reached');
  });

  it('counts requested attempts too', () => {
    const made = pastDue({ terms: { maxFailedCycles: 2 } }).goes(RETRY, 'fails');
    expect(made.context.ended?.reason).toBe('max_failed_cycles_reached');
  });

  it('ends a pending one as well, and releases its reservation', () => {
    const made = charging({ terms: { maxFailedCycles: 1 } });
    expect(made.fails()).toEqual(['payment.failed/insufficient_allowance', 'free unit', ...FAILED_FOR_GOOD]);
  });
});

describe('maxCycles', () => {
  it('ends it at the end of the last paid period, without a charge', () => {
    const made = renewing({ terms: { maxCycles: 2 } }).goes('settles');
    expect(made.stateName).toBe('active.waiting');
    expect(made.falls()).toEqual(COMPLETED);
    expect(made.now).toBe('2026-03-31T10:00:00.000Z');
    expect(made.context.ended).toEqual({ reason: 'max_cycles_reached', at: made.now, lastFailed: null });
  });

  it('ends it even if nothing could be charged then, and at once when one charge more is requested', () => {
    expect(active({ terms: { maxCycles: 1 } }).falls(NO_WALLET)).toEqual(COMPLETED);
    expect(active({ terms: { maxCycles: 1 } }).isAsked()).toEqual(COMPLETED);
  });

  it('counts settled cycles, not attempts', () => {
    const made = pastDue({ terms: { maxCycles: 2 } }).goes('falls', 'settles');
    expect(made.context).toMatchObject({ cyclesCompleted: 2, ended: null });
    expect(made.falls()).toEqual(COMPLETED);
  });
});

describe('cancel', () => {
  it.each([
    ['the merchant', CANCEL],
    ['the deletion of the customer', { ...CANCEL, reason: 'customer_deleted' }],
  ] as const)('by %s is emitted without a reason', (_, event) => {
    const made = active();
    expect(made.send(event)).toEqual(CANCELED);
    expect(made.context).toMatchObject({ ended: { reason: event.reason, at: made.now }, wakeAt: null });
  });

  it('lets a started renewal settle, which counts and is emitted, and makes nothing due again', () => {
    const made = renewing().goes(CANCEL);
    expect(made.settles()).toEqual(['payment.succeeded']);
    expect(made.stateName).toBe('canceled.closed');
    expect(made.context).toMatchObject({ cyclesCompleted: 2, open: null, wakeAt: null });
    expect(made.context.ended?.reason).toBe('requested');
  });

  it('is followed by the moment at which the payer takes the approval back, whoever ended it, and by no effect', () => {
    const revoked = { ...UNCOVERED, revoked: true } as const;
    const failed = charging();
    failsUntilCanceled(failed);
    for (const made of [active().goes(CANCEL), renewing().goes(CANCEL), failed]) {
      const before = made.context;
      expect([made.refuses(UNCOVERED), made.refuses(COVERED), made.send(revoked)]).toEqual([true, true, []]);
      expect(made.context).toEqual({ ...before, approvalRevokedAt: made.now });
      expect(made.refuses(revoked)).toBe(true);
    }
    expect(new TestSubscription().goes(CANCEL).refuses(revoked)).toBe(true);
  });
});

describe('cancel at the end of the period', () => {
  it('keeps the status, and ends it there without a charge and without a reason', () => {
    const made = active();
    expect(made.send(CANCEL_AT_END)).toEqual([]);
    expect(made.stateName).toBe('active.waiting');
    expect(made.context).toMatchObject({ cancelAt: '2026-02-28T10:00:00.000Z', ended: null });
    expect(made.falls()).toEqual(CANCELED);
    expect(made.context.ended).toEqual({ reason: 'requested', at: '2026-02-28T10:00:00.000Z', lastFailed: null });
    expect(made.opened).toHaveLength(1);
  });

  it('changes nothing if it is repeated', () => {
    expect(active().goes(CANCEL_AT_END).isUnmovedBy(CANCEL_AT_END)).toBe(true);
  });

  it('is undone by resume', () => {
    const made = active().goes(CANCEL_AT_END, RESUME);
    expect([made.context.cancelAt, made.due]).toEqual([null, '2026-02-28T10:00:00.000Z']);
    expect(made.falls()).toEqual(['open 2.1']);
  });

  it('in a trial ends it at the end of the trial, with or without an authorization', () => {
    const authorized = new TestSubscription({ trialDays: 14 }).goes(COVERED, CANCEL_AT_END);
    const never = new TestSubscription({ trialDays: 14 }).goes(CANCEL_AT_END);
    for (const made of [authorized, never]) {
      expect(made.falls()).toEqual(CANCELED);
      expect(made.now).toBe(addDays(START, 14));
    }
  });

  describe('after a failed charge whose period lies ahead', () => {
    it.each([
      ['a trial ended early', () => failedAhead(inTrial()), addDays(START, 14), 1],
      ['a renewal charged early', () => failedAhead(active()), '2026-02-28T10:00:00.000Z', 2],
      ['a paid cycle that was reorged out', () => fallenOut(), '2026-02-28T10:00:00.000Z', 1],
    ] as const)('keeps the status and ends it there: %s', (_what, make, end, cycle) => {
      const made = make();
      const { stateName } = made;
      made.at(addDays(end, -1.5));
      made.send(CANCEL_AT_END);
      expect([made.stateName, made.context.cancelAt]).toEqual([stateName, end]);
      expect(made.isUnmovedBy(CANCEL_AT_END)).toBe(true);
      made.at(addDays(end, -1));
      expect(made.trying(() => made.send(RETRY))[0]).toBe(`open ${cycle}.2`);
      expect(made.at(end).refuses(RETRY)).toBe(true);
      expect(made.send(DUE)).toEqual([`withdraw ${cycle}`, ...CANCELED]);
    });

    it('shows no attempt that would come too late', () => {
      const made = failedAhead(inTrial(), 13.5);
      expect(made.send(CANCEL_AT_END)).toEqual(['schedule 1 never']);
      expect(made.send(RESUME)).toEqual(['schedule 1 2026-02-14']);
    });

    function inTrial(): TestSubscription {
      return new TestSubscription({ trialDays: 14 }).goes(COVERED);
    }

    function failedAhead(made: TestSubscription, days = 10): TestSubscription {
      return made.at(addDays(START, days)).goes('isAsked', 'fails');
    }

    function fallenOut(): TestSubscription {
      return active().at(addDays(START, 10)).goes(REORGED);
    }
  });

  it.each(['before a charge ahead of time', 'while one is in flight'])(
    'changes nothing if it is requested %s',
    (when) => {
      const made = active();
      const isBefore = when.startsWith('before');
      if (isBefore) made.send(CANCEL_AT_END);
      made.isAsked();
      if (!isBefore) made.send(CANCEL_AT_END);
      made.settles();
      const cancelAt = '2026-02-28T10:00:00.000Z';
      expect(made.context).toMatchObject({ cancelAt, currentPeriodEnd: '2026-03-31T10:00:00.000Z', wakeAt: cancelAt });
      made.at(cancelAt).send(DUE);
      expect(made.stateName).toMatch(/^canceled/);
    },
  );

  it('stays at the end of the trial if a charge ahead of time pays a shorter period: charges go on until then', () => {
    const made = new TestSubscription({ trialDays: 14, terms: { interval: { unit: 'week', count: 1 } } });
    made.goes(COVERED, CANCEL_AT_END, 'isAsked', 'settles');
    expect([made.context.cancelAt, made.due]).toEqual([addDays(START, 14), addDays(START, 7)]);
    expect(made.falls()).toEqual(['open 2.1']);
    made.settles();
    expect(made.falls()).toEqual(CANCELED);
    expect(made.now).toBe(addDays(START, 14));
  });

  describe('after a failed early charge', () => {
    function chargedEarly(daysBefore: number): TestSubscription {
      return active().goes(CANCEL_AT_END).at(addDays('2026-02-28T10:00:00.000Z', -daysBefore)).goes('isAsked');
    }

    it('ends it at that time, without another charge', () => {
      const made = chargedEarly(2).goes('fails', 'falls', 'fails');
      expect(made.context.wakeAt).toBe('2026-02-28T10:00:00.000Z');
      expect(made.falls()).toEqual(['withdraw 2', ...CANCELED]);
    });

    it('shows no next attempt that would come too late, until it is resumed', () => {
      const made = chargedEarly(0.5);
      expect(made.fails()).toContain('schedule 2 never');
      expect(made.send(RESUME)).toEqual(['schedule 2 2026-02-28']);
      expect(made.context.wakeAt).toBe('2026-02-28T22:00:00.000Z');
    });
  });
});

describe('a check of the chain', () => {
  it('makes one attempt at once if it shows that the charge would now succeed', () => {
    const made = pastDue();
    made.at(addDays(made.now, 0.3)).send(COVERED);
    expect(made.context.wakeAt).toBe(made.now);
    expect(made.falls()).toEqual(['open 2.2', 'unwatch']);
  });

  it('does not move the fixed days if that attempt fails too', () => {
    const made = pastDue();
    const first = made.now;
    made.at(addDays(first, 0.3)).goes(COVERED, 'falls', 'fails');
    expect(made.context.wakeAt).toBe(addDays(first, 1));
  });

  it('is journaled once, not at every check until the attempt', () => {
    const made = pastDue();
    made.at(addDays(made.now, 0.3)).send(COVERED);
    expect(made.at(addDays(made.now, 0.001)).refuses(COVERED)).toBe(true);
  });

  it('causes no storm: after a wrong result the next attempt waits for a growing pause', () => {
    const made = pastDue();
    const first = made.now;
    const minutes: number[] = [];
    for (let last = first; minutes.length < 4; ) {
      made.at(new Date(Date.parse(made.now) + 60_000).toISOString());
      if (made.refuses(COVERED)) continue;
      made.send(COVERED);
      minutes.push((Date.parse(made.now) - Date.parse(last)) / 60_000);
      last = made.now;
      made.goes('falls', 'fails');
    }
    expect(minutes).toEqual([1, 15, 30, 60]);
    expect(made.context).toMatchObject({ wakeAt: addDays(first, 1), open: { hurried: 4 } });
    made.goes('falls', 'fails');
    expect(made.context).toMatchObject({ wakeAt: addDays(first, 3), open: { hurried: 4 } });
  });

  it('brings an attempt at once again in the next cycle', () => {
    expect(pastDue().goes(COVERED, 'falls', 'settles', 'falls', 'fails').refuses(COVERED)).toBe(false);
  });

  it('is ignored if it is older than the known one', () => {
    const reading = { priceId: 'price_1', tokenKey: 'usdc-local-evm', wallet: '0xpayer', chainId: 31_337 };
    const made = new TestSubscription().goes({ ...COVERED, reading: { ...reading, block: 10 } });
    const before = { ...UNCOVERED, reading: { ...reading, block: 9 } };
    expect(made.refuses(before)).toBe(true);
    expect(made.refuses({ ...before, reading: { ...reading, block: 10 } })).toBe(false);
    expect(made.refuses({ ...before, reading: { ...reading, block: 9, chainId: 8_453 } })).toBe(false);
    const late = pastDue().goes({ ...UNCOVERED, reading: { ...reading, block: 10 } });
    expect(late.refuses({ ...COVERED, reading: { ...reading, block: 9 } })).toBe(true);
  });

  it('changes nothing for a pull that was refused for another reason', () => {
    const made = renewing();
    made.fails('pull_reverted');
    expect(made.refuses(COVERED)).toBe(true);
  });

  it('is stored without a change of dates if it shows the allowance gone, or only that', () => {
    const made = pastDue();
    const { wakeAt } = made.context;
    made.send({ type: 'allowance.seen', covers: false, payable: false });
    expect(made.context).toMatchObject({ allowanceConfirmed: false, wakeAt });
    made.send({ type: 'allowance.seen', covers: true, payable: false });
    expect(made.context).toMatchObject({ allowanceConfirmed: true, wakeAt });
  });
});

describe('retry', () => {
  it('makes one attempt of the open cycle without moving the fixed days', () => {
    const made = pastDue();
    const first = made.now;
    expect(made.at(addDays(first, 2)).goes(RETRY).fails()).toContain('schedule 2 2026-03-03');
    expect(made.context).toMatchObject({ consecutiveFailures: 2, wakeAt: addDays(first, 3) });
  });
});

describe('a deferred charge', () => {
  it('makes no attempt, counts no failure, and is checked again after growing pauses', () => {
    const made = active();
    const pauses: number[] = [];
    for (let times = 0; times < 10; times += 1) {
      expect(made.falls(NO_WALLET)).toEqual(times === 0 ? ['subscription.blocked/no_payout_wallet'] : []);
      pauses.push((Date.parse(made.context.wakeAt ?? '') - Date.parse(made.now)) / 1_000);
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    expect(made.context).toMatchObject({ consecutiveFailures: 0, open: null, lastCycle: 1 });
    expect(made.context.deferred).toEqual({ why: 'no_payout_wallet', since: '2026-02-28T10:00:00.000Z', times: 10 });
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.context.deferred).toBeNull();
  });

  it('is checked soon again after another reason, and its wait counts from the first', () => {
    const made = active();
    made.falls(NO_WALLET);
    made.falls(NO_WALLET);
    made.falls({ ready: false, why: 'merchant_suspended' });
    expect(made.context.deferred).toEqual({ why: 'merchant_suspended', since: '2026-02-28T10:00:00.000Z', times: 1 });
  });

  it.each([
    ['a renewal', () => active(), 'open 2.1'],
    ['a first charge', () => new TestSubscription().goes(COVERED), 'open 1.1'],
    ['a retry of a first charge', () => dunned(), 'open 1.2'],
    ['a retry of a renewal', () => pastDue(), 'open 2.2'],
  ] as const)('is due at once when the cause is gone: %s', (_what, make, opens) => {
    const made = make();
    for (let times = 0; times < 4; times += 1) made.falls(NO_WALLET);
    made.at(new Date(Date.parse(made.now) + 1_000).toISOString());
    expect(made.refuses({ type: 'deferral.lifted', why: 'merchant_suspended' })).toBe(true);
    expect(made.send({ type: 'deferral.lifted', why: 'no_payout_wallet' })).toEqual([]);
    expect(made.context.wakeAt).toBe(made.now);
    expect(made.trying(() => made.falls())[0]).toBe(opens);
    made.falls(NO_WALLET);
    expect(made.context.deferred).toMatchObject({ times: 2 });
  });

  it('is not due early if another charge has been paid meanwhile', () => {
    const made = pastDue();
    made.falls(NO_WALLET);
    made.settles();
    expect(made.context.deferred).toBeNull();
    expect(made.refuses({ type: 'deferral.lifted', why: 'no_payout_wallet' })).toBe(true);
    expect(made.due).toBe(made.context.currentPeriodEnd);
  });

  it('stops the grace: the days do not count the time in which no attempt was possible', () => {
    const made = pastDue();
    const first = made.now;
    made.goes('falls', 'fails');
    made.falls(NO_WALLET);
    expect(made.now).toBe(addDays(first, 3));
    made.at(addDays(first, 33)).goes(DUE, 'fails');
    expect(made.context).toMatchObject({ ended: null, wakeAt: addDays(first, 35), pastDueSince: first });
    made.goes('falls', 'fails', 'falls');
    expect(made.now).toBe(addDays(first, 37));
    made.fails();
    expect(made.context.ended?.reason).toBe('grace_expired');
  });

  it('is not brought forward by a check that shows enough money', () => {
    const made = pastDue();
    made.falls(NO_WALLET);
    expect(made.refuses(COVERED)).toBe(true);
  });

  it('is still ended by a scheduled cancel, at its time', () => {
    expect(new TestSubscription({ trialDays: 14 }).goes(COVERED, CANCEL_AT_END).falls(NO_WALLET)).toEqual(CANCELED);
  });
});

describe('the sandbox', () => {
  it('charges an active one early: the period grows by one interval, the clock stays', () => {
    const made = active();
    expect(made.isAsked()).toEqual(['open 2.1']);
    made.settles();
    expect(made.now).toBe(START);
    expect(made.context).toMatchObject({ cyclesCompleted: 2, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
  });

  it('makes the next attempts fail without a chain, until it ends that', () => {
    const made = active().goes({ type: 'failure.forced', reason: 'insufficient_balance' }, 'falls');
    expect(made.opened.at(-1)?.forcedFailure).toBe('insufficient_balance');
    made.fails('insufficient_balance');
    expect(made.refuses(COVERED)).toBe(true);
    made.goes({ type: 'failure.forced', reason: null }, 'falls');
    expect(made.opened.at(-1)?.forcedFailure).toBeNull();
  });

  it('makes one fail to its end that was never authorized and has no wallet', () => {
    const made = new TestSubscription({ payerWallet: null });
    made.send({ type: 'failure.forced', reason: 'insufficient_balance' });
    expect(made.isAsked()).toEqual(['open 1.1', 'unwatch']);
    expect(made.opened.at(-1)).toMatchObject({ fromWallet: null, forcedFailure: 'insufficient_balance' });
    expect(failsUntilCanceled(made).days).toEqual([0, 1, 3, 5, 7]);
  });

  it('never charges a missing wallet on a chain', () => {
    const made = new TestSubscription({ payerWallet: null });
    made.goes({ type: 'failure.forced', reason: 'insufficient_balance' }, 'isAsked');
    made.fails('insufficient_balance');
    made.goes({ type: 'failure.forced', reason: null }, 'falls');
    expect(made.opened.at(-1)).toMatchObject({ fromWallet: null, forcedFailure: 'insufficient_allowance' });
  });

  it('moves the clock forward only', () => {
    const made = active().goes({ type: 'clock.moved', clockOffsetMs: 86_400_000 });
    expect([made.context.clockOffsetMs, made.due]).toEqual([86_400_000, '2026-02-28T10:00:00.000Z']);
    expect(made.refuses({ type: 'clock.moved', clockOffsetMs: 86_400_000 })).toBe(true);
    expect(made.refuses({ type: 'clock.moved', clockOffsetMs: 1 })).toBe(true);
  });
});

describe('customVariables', () => {
  it('are replaced as a whole, even of a canceled subscription', () => {
    const made = active();
    made.goes({ type: 'variables.replaced', customVariables: { seats: 3, plan: 'team', trial: false } }, CANCEL);
    made.send({ type: 'variables.replaced', customVariables: { seats: 4 } });
    expect(made.context.customVariables).toEqual({ seats: 4 });
  });
});
