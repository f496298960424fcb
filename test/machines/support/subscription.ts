import type { BlockedReason, EffectOf, FailureReason } from '../../../machines/effects.ts';
import { addDays, periodAt } from '../../../machines/rules/period.ts';
import {
  type NewSubscription,
  newSubscription,
  type SubscriptionContext,
  subscriptionContext,
  type Terms,
} from '../../../machines/subscription/context.ts';
import { dueAt } from '../../../machines/subscription/next-charge.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { projectionOf } from '../../../src/engine/projection.ts';
import type { StoredActor } from '../../../src/store/documents.ts';
import { actor } from '../../store/support/documents.ts';
import { TestActor } from './actor.ts';

export const START = '2026-01-31T10:00:00.000Z';

export const READY = { ready: true } as const;
export const NO_WALLET = { ready: false, why: 'no_payout_wallet' } as const;

export const DUE = { type: 'cycle.due', asked: false, charge: READY } as const;
export const ASKED = { ...DUE, asked: true } as const;
export const COVERED = { type: 'allowance.seen', covers: true, payable: true } as const;
export const UNCOVERED = { type: 'allowance.seen', covers: false, payable: false } as const;
export const CANCEL = { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' } as const;
export const CANCEL_AT_END = { ...CANCEL, atPeriodEnd: true } as const;
export const RESUME = { type: 'resume.requested' } as const;
/** Until it is resumed, and the end of the period moves. */
export const PAUSE = { type: 'pause.requested', until: null, pausedBy: 'merchant', periodEnd: 'moves' } as const;
/** The first cycle, which was paid, is reorged out. */
export const REORGED = {
  type: 'charge.reorged',
  ...{ cycle: 1, attempt: 1, paymentId: 'pay_1' },
  ...{ periodStart: START, periodEnd: '2026-02-28T10:00:00.000Z' },
} as const;
export const RETRY = { type: 'retry.requested', charge: READY } as const;

/** The effects of an end: on request, by `maxCycles`, and by a limit of failures. */
export const CANCELED = ['subscription.canceled', 'unwatch any'];
export const COMPLETED = ['subscription.canceled/max_cycles_reached', 'unwatch any'];
export const FAILED_FOR_GOOD = ['subscription.canceled/max_failed_cycles_reached', 'unwatch any'];

export const MONTHLY: Terms = {
  priceId: 'price_1',
  priceAmount: '9.90',
  priceCurrency: 'USD',
  tokenKey: 'usdc-local-evm',
  chainId: 31_337,
  amount: '9900000',
  interval: { unit: 'month', count: 1 },
  maxCycles: null,
  maxFailedCycles: null,
  destination: null,
};

/** The wish for a subscription; its terms are monthly where they say nothing else. */
type Wish = Partial<Omit<NewSubscription, 'terms'>> & { readonly terms?: Partial<Terms> };

/** The context of a new subscription. */
export function newMonthly({ terms, ...wish }: Wish = {}): SubscriptionContext {
  const others = { id: 'sub_1', offerId: 'offer_1', payerWallet: '0xpayer', trialEnd: null, customVariables: {} };
  return newSubscription({ ...others, terms: { ...MONTHLY, ...terms }, ...wish });
}

/** New terms that a wallet has signed and that its allowance covers. */
export function coveredMigration(to: Partial<Terms>, wallet: string): NonNullable<SubscriptionContext['migration']> {
  const [requestedAt, expiresAt] = [addDays(START, 0.1), addDays(START, 30)];
  const terms = { ...MONTHLY, ...to };
  return { terms, requestedAt, expiresAt, wallet, covered: true, seenAt: null, authorizedAt: requestedAt };
}

export interface SubscriptionOptions {
  readonly terms?: Partial<Terms>;
  readonly payerWallet?: string | null;
  readonly trialDays?: number;
}

type Charge = Extract<EventOf<'subscription'>, { type: 'cycle.due' }>['charge'];

/** A verb of `TestSubscription`, or an event. */
type Step = 'falls' | 'settles' | 'fails' | 'isAsked' | 'checksAhead' | EventOf<'subscription'>;

/** A subscription, and the verbs of its stories. Made at `START`; every verb returns the effects. */
export class TestSubscription extends TestActor<'subscription'> {
  constructor({ terms = {}, payerWallet = '0xpayer', trialDays = 0 }: SubscriptionOptions = {}) {
    const isMetered = terms.model?.kind === 'metered';
    const firstEnd = periodAt(START, terms.interval ?? MONTHLY.interval, 0).end;
    const trialEnd = isMetered ? firstEnd : trialDays === 0 ? null : addDays(START, trialDays);
    const usage = isMetered ? { usage: { anchor: START } } : {};
    super('subscription', newMonthly({ terms, payerWallet, trialEnd, ...usage }), START);
    this.create();
  }

  get context(): SubscriptionContext {
    return subscriptionContext.parse(this.state.context);
  }

  /** The charges that it has opened, in order. */
  get opened(): EffectOf<'charge.open'>[] {
    return this.asked.filter((effect) => effect.type === 'charge.open');
  }

  /** Its stored document. */
  doc(fields: Partial<StoredActor> = {}): StoredActor {
    return actor({ kind: 'subscription', ...this.state, ...projectionOf(this.state), ...fields });
  }

  /** Goes through these steps in order. */
  goes(...steps: readonly Step[]): this {
    for (const step of steps) typeof step === 'string' ? this[step]() : this.send(step);
    return this;
  }

  /** The time at which it falls due, without the checks before it. */
  get due(): string | null {
    return dueAt(this.context);
  }

  /** Moves to the time at which it falls due, and wakes it. */
  falls(charge: Charge = READY): readonly string[] {
    return this.at(this.due).send({ ...DUE, charge });
  }

  /** Moves to the time of the check before its charge. */
  checksAhead(): readonly string[] {
    return this.at(this.context.risk.lookAt).send({ type: 'risk.due' });
  }

  /** Wakes it because somebody requests its cycle now. */
  isAsked(charge: Charge = READY): readonly string[] {
    return this.send({ ...ASKED, charge });
  }

  /** The attempt in flight settles now. */
  settles(): readonly string[] {
    return this.send({ type: 'charge.settled', ...this.attempt });
  }

  /** The attempt in flight fails now. */
  fails(reason: FailureReason = 'insufficient_allowance'): readonly string[] {
    return this.send({ type: 'charge.failed', ...this.attempt, reason });
  }

  /** The charge of the attempt in flight is blocked. */
  isBlocked(reason: BlockedReason = 'undeliverable'): readonly string[] {
    return this.send({ type: 'charge.blocked', ...this.attempt, reason });
  }

  /** The fields of messages about the open attempt. */
  get attempt(): { cycle: number; attempt: number; paymentId: string } {
    const { open, lastCycle } = this.context;
    return { cycle: open?.number ?? Math.max(1, lastCycle), attempt: open?.attempt ?? 1, paymentId: 'pay_1' };
  }
}

/** Authorized, its first charge in flight. */
export function charging(options: SubscriptionOptions = {}): TestSubscription {
  return new TestSubscription(options).goes(COVERED, 'falls');
}

/** Its first period is paid. */
export function active(options: SubscriptionOptions = {}): TestSubscription {
  return charging(options).goes('settles');
}

/** Its first charge has failed. */
export function dunned(options: SubscriptionOptions = {}): TestSubscription {
  return charging(options).goes('fails');
}

/** Its first renewal is in flight. */
export function renewing(options: SubscriptionOptions = {}): TestSubscription {
  return active(options).goes('falls');
}

/** Its first renewal has failed. */
export function pastDue(options: SubscriptionOptions = {}): TestSubscription {
  return renewing(options).goes('fails');
}

/** A further attempt of its first renewal is in flight. */
export function retrying(options: SubscriptionOptions = {}): TestSubscription {
  return pastDue(options).goes('falls');
}
