import type { Snapshot } from '../../../machines/versions.ts';
import {
  about,
  aboutRefund,
  DEPOSIT_EXPIRED,
  DEPOSIT_EXPIRES,
  depositSeen,
  PAUSE_OVER,
  refundRequested,
  SCHEDULED,
  TestPayment,
  CANCEL as UNDO,
  WITHDRAWN,
} from '../support/payment.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  COVERED,
  charging,
  dunned,
  MONTHLY,
  NO_WALLET,
  PAUSE,
  pastDue,
  REORGED,
  RETRY,
  renewing,
  TestSubscription,
  UNCOVERED,
} from '../support/subscription.ts';

/** Name → a life that leads to a snapshot; the fixtures of a version are made from these. */
type Lives<A> = Readonly<Record<string, () => A>>;

/** The end of migration links. */
const LINK_ENDS = '2027-01-01T00:00:00.000Z';

const READING = { priceId: 'price_1', tokenKey: 'usdc-local-evm', wallet: '0xpayer', chainId: 31_337, block: 9 };

const SENDER = { id: 'pay_1', mark: [3, 1] as [number, number] };

const MIGRATION = {
  type: 'migration.requested',
  terms: { ...MONTHLY, priceId: 'price_2', priceAmount: '99.00', amount: '99000000' },
  expiresAt: LINK_ENDS,
} as const;

const subscriptions: Lives<TestSubscription> = {
  'without-a-wallet': () => new TestSubscription({ payerWallet: null }),
  'in-trial': () => new TestSubscription({ trialDays: 14 }).goes(COVERED),
  'in-trial-until-canceled': () => new TestSubscription({ trialDays: 14 }).goes(COVERED, CANCEL_AT_END),
  'in-trial-until-its-payer-cancels': () =>
    new TestSubscription({ trialDays: 14 }).goes(COVERED, { ...CANCEL_AT_END, canceledBy: 'payer' }),
  'first-charge-in-flight': () => charging(),
  'first-charge-failed': () => dunned(),
  'first-charge-failed-and-migrating': () => dunned().goes(MIGRATION),
  'first-charge-failed-and-billed-to-another': () => dunned().goes({ type: 'payer.authorized', wallet: '0xother' }),
  paid: () => active(),
  'paid-with-limits': () =>
    active({ terms: { maxCycles: 12, maxFailedCycles: 3, destination: { evm: '0xelsewhere', solana: null } } }),
  'paid-and-migrating': () => active().goes(MIGRATION, { type: 'migration.signed', wallet: '0xpayer' }),
  'paid-and-at-risk': () => active().goes('checksAhead', { ...UNCOVERED, type: 'risk.seen', reading: READING }),
  'paid-on-a-moved-clock': () => active().goes({ type: 'clock.moved', clockOffsetMs: 86_400_000 }),
  'paid-and-told-by-its-payment': () =>
    having(charging(), (made) => made.send({ type: 'charge.settled', ...made.attempt }, SENDER)),
  'paid-with-variables': () =>
    active().goes({ type: 'variables.replaced', customVariables: { seats: 3, plan: 'team', beta: true } }),
  'paid-until-canceled': () => active().goes(CANCEL_AT_END),
  paused: () => active().goes({ ...PAUSE, until: '2026-02-20T10:00:00.000Z' }),
  renewing: () => renewing(),
  'renewing-and-undeliverable': () => having(renewing(), (made) => made.isBlocked()),
  'renewing-while-one-fell-out': () => renewing().goes(REORGED),
  'past-due': () => pastDue(),
  'past-due-and-forced': () => pastDue().goes({ type: 'failure.forced', reason: 'insufficient_balance' }),
  'past-due-and-deferred': () => having(pastDue(), (made) => made.falls(NO_WALLET)),
  'past-due-behind-one-that-fell-out': () => pastDue().goes(REORGED),
  retrying: () => pastDue().goes(RETRY),
  closing: () => renewing().goes(CANCEL),
  canceled: () => active().goes(CANCEL),
  'ended-by-failures': () => dunned({ terms: { maxFailedCycles: 1 } }),
};

const cycle = () => new TestPayment({ of: 'cycle' });

const payments: Lives<TestPayment> = {
  'requested-one-off': () => new TestPayment({ of: 'one-off' }),
  'requested-with-a-unit': () => new TestPayment({ of: 'checkout' }),
  'requested-cycle': cycle,
  started: () => cycle().hears('started'),
  'started-and-withdrawn': () => cycle().hears('started', WITHDRAWN),
  paused: () => cycle().hears('undeliverable'),
  'requested-after-a-pause': () =>
    having(cycle().hears('undeliverable'), (made) => made.at(made.context.wakeAt).send(PAUSE_OVER)),
  'pulled-one-off': () => new TestPayment({ of: 'one-off' }).hears('started', 'mined'),
  pulled: () => cycle().hears('started', 'mined'),
  settled: () => cycle().hears('started', 'final'),
  'failed-one-off': () => new TestPayment({ of: 'one-off' }).hears('refused'),
  'failed-and-scheduled': () => having(cycle().hears('refused'), (made) => made.send(SCHEDULED, SENDER)),
  'failed-as-forced': () => new TestPayment({ of: 'cycle', forcedFailure: 'insufficient_balance' }),
  'fallen-out': () => cycle().hears('started', 'final', 'reorged'),
  'requested-after-a-release': () => cycle().hears('started', about(1).released),
  'settled-by-an-earlier-attempt': () => cycle().hears('started', 'refused', about(2).opened, about(1).final),
  'requested-again': () => cycle().hears('refused', about(2).opened),
  canceled: () => new TestPayment({ of: 'one-off' }).hears(UNDO),
  awaiting: () => new TestPayment({ of: 'transfer' }),
  'awaiting-more': () => new TestPayment({ of: 'transfer' }).hears(depositSeen('5')),
  'requested-from-a-deposit': () => new TestPayment({ of: 'transfer' }).hears(depositSeen('9900000')),
  'failed-without-a-deposit': () => new TestPayment({ of: 'transfer' }).at(DEPOSIT_EXPIRES).hears(DEPOSIT_EXPIRED),
  withdrawn: () => cycle().hears(WITHDRAWN),
  'settled-and-refunded-in-part': () =>
    cycle().hears('started', 'final', refundRequested('ref_1'), aboutRefund('ref_1').settled, refundRequested('ref_2')),
};

/** The snapshots of the newest machines, by kind and name. */
export const LIVES: Readonly<Record<'subscription' | 'payment', Lives<{ readonly state: Snapshot }>>> = {
  subscription: subscriptions,
  payment: payments,
};

function having<A>(made: A, done: (made: A) => unknown): A {
  done(made);
  return made;
}
