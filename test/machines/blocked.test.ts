import { addDays } from '../../machines/rules/period.ts';
import { blockedReasonOf } from '../../machines/subscription/changes.ts';
import { deferral } from '../../machines/subscription/context.ts';
import {
  active,
  CANCEL,
  COVERED,
  charging,
  dunned,
  MONTHLY,
  NO_WALLET,
  pastDue,
  RETRY,
  renewing,
  TestSubscription,
} from './support/subscription.ts';

/** The public reason that the merchant sees. */
function reasonOf({ context }: TestSubscription): string | null {
  return blockedReasonOf(context);
}

function waitingForFirst(): TestSubscription {
  return new TestSubscription().goes(COVERED);
}

const BLOCKED = 'subscription.blocked';

describe('a due charge that is not attempted', () => {
  it.each([
    ['a first charge', waitingForFirst],
    ['a further attempt of a first charge', dunned],
    ['a renewal', () => active()],
    ['a further attempt of a renewal', pastDue],
  ])('reports %s with its reason, once for each reason', (_, make) => {
    const made = make();
    expect(reasonOf(made)).toBeNull();
    expect(made.falls(NO_WALLET)).toEqual([`${BLOCKED}/no_payout_wallet`]);
    expect(reasonOf(made)).toBe('no_payout_wallet');
    expect(made.falls(NO_WALLET)).toEqual([]);
    made.send({ type: 'deferral.lifted', why: 'no_payout_wallet' });
    expect(made.falls(NO_WALLET)).toEqual([]);
    expect(made.falls({ ready: false, why: 'merchant_suspended' })).toEqual([`${BLOCKED}/merchant_suspended`]);
    made.falls();
    expect(reasonOf(made)).toBeNull();
  });

  it('has a public word for each reason', () => {
    const words = deferral.options.map((why) => {
      const made = active();
      made.falls({ ready: false, why });
      return reasonOf(made);
    });
    expect(words).toEqual(['no_payout_wallet', 'chain_not_enabled', 'sold_out', 'merchant_suspended']);
  });

  it('names the price of the next charge', () => {
    const made = active();
    made.send({
      type: 'migration.requested',
      terms: { ...MONTHLY, priceId: 'price_2' },
      expiresAt: addDays(made.now, 60),
    });
    made.goes({ type: 'migration.signed', wallet: '0xpayer' }, { type: 'migration.seen', covers: true });
    made.falls(NO_WALLET);
    expect(made.asked.at(-1)).toMatchObject({ event: BLOCKED, data: { priceId: 'price_2' } });
    expect(made.send(RETRY)).toEqual(expect.arrayContaining(['open 2.1', 'subscription.migrated']));
  });

  it('no longer blocks anything when the subscription has ended', () => {
    const made = active();
    made.falls(NO_WALLET);
    made.send(CANCEL);
    expect(reasonOf(made)).toBeNull();
  });

  it.each([
    ['a first charge', waitingForFirst, 'open 1.1'],
    ['a renewal', () => active(), 'open 2.1'],
  ])('is attempted at once by a retry of %s', (_, make, opened) => {
    const made = make();
    expect(made.refuses(RETRY)).toBe(true);
    made.falls(NO_WALLET);
    expect(made.refuses({ ...RETRY, charge: NO_WALLET })).toBe(true);
    const { begun } = made.context;
    expect(made.send(RETRY)).toContain(opened);
    expect(made.context.begun).toEqual(begun);
  });

  it('is not attempted by a retry at a scheduled end', () => {
    const made = active().goes({ ...CANCEL, atPeriodEnd: true });
    made.at(addDays(made.now, 40));
    expect(made.refuses(RETRY)).toBe(true);
  });
});

describe('a charge in flight that cannot be delivered', () => {
  it.each([
    ['a first charge', charging],
    ['a renewal', renewing],
  ])('reports %s once, until the charge continues', (_, make) => {
    const made = make();
    expect(made.isBlocked()).toEqual([`${BLOCKED}/undeliverable`]);
    expect(reasonOf(made)).toBe('undeliverable');
    expect(made.isUnmovedBy({ type: 'charge.blocked', ...made.attempt, reason: 'undeliverable' })).toBe(true);
    made.send({ type: 'charge.pulled', ...made.attempt });
    expect(reasonOf(made)).toBeNull();
    made.settles();
    expect(made.stateName).toBe('active.waiting');
  });

  it('is cleared with its attempt', () => {
    const made = renewing();
    made.isBlocked();
    made.fails('insufficient_balance');
    expect(reasonOf(made)).toBeNull();
    made.falls();
    expect(made.isBlocked()).toEqual([`${BLOCKED}/undeliverable`]);
  });

  it('changes nothing for another attempt, or after the end', () => {
    const made = pastDue();
    const earlier = { type: 'charge.blocked', ...made.attempt, reason: 'undeliverable' } as const;
    made.falls();
    expect(made.isUnmovedBy(earlier)).toBe(true);
    made.send(CANCEL);
    expect(made.isUnmovedBy({ ...earlier, ...made.attempt })).toBe(true);
  });
});
