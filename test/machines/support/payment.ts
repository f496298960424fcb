import type { FailureReason } from '../../../machines/effects.ts';
import { newPayment, type PaymentContext, paymentContext } from '../../../machines/payment/context.ts';
import type { RefundTransfer } from '../../../machines/refund/context.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { TestActor } from './actor.ts';

const START = '2026-01-31T10:00:00.000Z';

const CYCLE = { subscriptionId: 'sub_1', cycle: 2, periodStart: START, periodEnd: '2026-02-28T10:00:00.000Z' } as const;

export const HASHES = {
  pullTxHash: '0xaa',
  forwardTxHash: '0xaa',
  platformTransferTxHash: '0xaa',
  distributeTxHash: null,
} as const;

export const BLOCK = { number: 7, hash: '0xb7' } as const;
export const OTHER_BLOCK = { number: 8, hash: '0xb8' } as const;

export interface PaymentOptions {
  readonly of: 'cycle' | 'one-off' | 'checkout' | 'transfer';
  readonly forcedFailure?: FailureReason | null;
  readonly notBefore?: string;
}

/** The events of chain and subscription for a payment, about one submission of one attempt. */
export function about(attempt: number, round = 0, releases = 0) {
  return {
    started: { type: 'charge.started', attempt, round, toWallet: '0xpayout' },
    released: { type: 'charge.released', attempt, round, releases },
    mined: { type: 'charge.mined', attempt, round, releases, hashes: HASHES, block: BLOCK },
    final: { type: 'charge.final', attempt, hashes: HASHES, block: BLOCK },
    refused: { type: 'charge.refused', attempt, round, reason: 'insufficient_balance' },
    undeliverable: { type: 'charge.undeliverable', attempt, round, reason: 'forward_reverted' },
    moved: { type: 'charge.moved', attempt, hashes: HASHES, block: BLOCK },
    reorged: { type: 'charge.reorged', attempt },
    opened: {
      type: 'charge.opened',
      attempt,
      fromWallet: '0xpayer',
      periodStart: '2026-02-01T00:00:00.000Z',
      periodEnd: '2026-03-01T00:00:00.000Z',
      forcedFailure: null,
    },
  } as const satisfies Record<string, EventOf<'payment'>>;
}

export type Word = keyof ReturnType<typeof about>;

/** The same about the present submission of a payment, or about its first while it has made no attempt. */
export function aboutPresent({ attempt, pauses, released }: PaymentContext) {
  const isReleased = released?.attempt === attempt && released.round === pauses;
  return about(Math.max(1, attempt), pauses, isReleased ? released.releases + 1 : 0);
}

export const WITHDRAWN = { type: 'charge.withdrawn' } as const;
export const CANCEL = { type: 'cancel.requested' } as const;
export const PAUSE_OVER = { type: 'pause.over' } as const;
export const BLOCKED = { type: 'charge.blocked', attempt: 1, round: 0, reason: 'no_payout_wallet' } as const;
export const PAUSE_LIFTED = { type: 'pause.lifted' } as const;
export const SCHEDULED = { type: 'charge.scheduled', nextAttemptAt: '2026-02-01T10:00:00.000Z' } as const;

/** The time for refunds that are requested at `START`. */
export const REFUND_EXPIRES = '2026-02-07T10:00:00.000Z';

/** A request of a refund, in base units of the payment's token, which are twice those of the playing one. */
export function refundRequested(id: string, amount = '1000000'): EventOf<'payment'> {
  return {
    type: 'refund.requested',
    refund: {
      id,
      idempotencyKey: `key of ${id}`,
      requestHash: `hash of ${id}`,
      amount,
      due: String(BigInt(amount) * 2n),
      key: '0xkey',
      receiver: '0xpayer',
      reason: null,
      since: 7,
      expiresAt: REFUND_EXPIRES,
    },
  };
}

/** A transfer on the chain. */
export function transferOf(transaction: string, index = 0, block: RefundTransfer['block'] = BLOCK): RefundTransfer {
  return { transaction, index, block };
}

export const REFUND_EXPIRED = { type: 'refund.expired' } as const;

/** The chain's facts about a refund, and its end by the merchant. */
export function aboutRefund(refundId: string, transfer = transferOf(`0xof-${refundId}`)) {
  return {
    sent: { type: 'refund.sent', refundId, transfer },
    settled: { type: 'refund.settled', refundId, transfer },
    reorged: { type: 'refund.reorged', refundId },
    canceled: { type: 'refund.canceled', refundId },
  } as const satisfies Record<string, EventOf<'payment'>>;
}

export const DEPOSIT_EXPIRES = '2026-01-31T11:00:00.000Z';

/** The amounts that a check of its deposit address finds: in all, and with enough confirmations. */
export function deposited(arrived: string, confirmed = arrived) {
  return { arrived, confirmed, from: arrived === '0' ? null : '0xsender' } as const;
}

export function depositSeen(arrived: string, confirmed = arrived): EventOf<'payment'> {
  return { type: 'deposit.seen', found: deposited(arrived, confirmed) };
}

export const DEPOSIT_EXPIRED = { type: 'deposit.expired', found: deposited('0') } as const;

/** A payment, made at `START`. */
export class TestPayment extends TestActor<'payment'> {
  constructor({ of, forcedFailure = null, ...allowed }: PaymentOptions) {
    const made = newPayment({
      id: 'pay_1',
      cycleOf: of === 'cycle' ? CYCLE : null,
      amount: '9900000',
      fromWallet: of === 'transfer' ? null : '0xpayer',
      toWallet: of === 'cycle' ? null : '0xasked',
      forcedFailure,
      ...allowed,
      ...(of === 'checkout' ? { unitOf: 'offer_1' } : {}),
      ...(of === 'transfer' ? { deposit: { address: '0xdeposit', due: '9900000', expiresAt: DEPOSIT_EXPIRES } } : {}),
    });
    super('payment', made, START);
    this.create();
  }

  get context(): PaymentContext {
    return paymentContext.parse(this.state.context);
  }

  /** Sends these events in order; a word is a fact about its present attempt. */
  hears(...events: readonly (Word | EventOf<'payment'>)[]): this {
    for (const event of events) this.send(typeof event === 'string' ? aboutPresent(this.context)[event] : event);
    return this;
  }
}
