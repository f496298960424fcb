import { newPayment } from '../../../machines/payment/context.ts';
import { divide } from '../../../machines/rules/money.ts';
import { type Interval, periodAt } from '../../../machines/rules/period.ts';
import { subscriptionContext } from '../../../machines/subscription/context.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { advance } from '../../../src/engine/advance.ts';
import { projectionOf } from '../../../src/engine/projection.ts';
import { initialState, inputOf } from '../../../src/engine/step.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../../src/store/documents.ts';
import type { Commit } from '../../../src/store/port.ts';
import { paymentOf, subscriptionOf } from '../documents.ts';
import { PRICE, type SignedCycle } from './market.ts';

export interface Order {
  readonly tenant: Tenant;
  readonly payer: string;
  /** The address of the merchant's share. */
  readonly receiver: string;
  /** Absent or null: the payer has approved the open operator. */
  readonly signed?: SignedCycle | null;
}

export interface PaymentOrder extends Order {
  /** The platform's fee, basis points. */
  readonly feeBps: number;
}

/** As POST /payments leaves it if the process dies right after the write: `charge.request` is in its outbox. */
export function paymentDue({ tenant, payer, receiver, feeBps }: PaymentOrder): Commit {
  const now = new Date();
  const made = paymentOf(tenant, now);
  const { _id: id } = made;
  const amount = PRICE.toString();
  const { platformAmount, merchantAmount } = divide(PRICE, feeBps, []);
  const wallets = { fromWallet: payer, toWallet: receiver };
  const { current } = MACHINES.payment;
  const input = inputOf(current, newPayment({ id, cycleOf: null, amount, ...wallets, forcedFailure: null }));
  const state = initialState(current, input);
  const blank: StoredActor = {
    ...made,
    attributes: {
      ...made.attributes,
      feeBps,
      platformAmount: platformAmount.toString(),
      merchantAmount: merchantAmount.toString(),
    },
    machineVersion: current.version,
    ...state,
    ...projectionOf(state),
    rev: 0,
    headRev: 0,
    eventSeq: 0,
    outbox: [],
    failures: 0,
  };
  const created = { event: { type: 'actor.created', input }, by: 'bench', sender: null };
  const taken = advance(MACHINES, blank, created, { now, admits: () => true, writes: {} });
  if (taken.outcome !== 'taken') throw new Error(`the machine of payment ${id} refused its creation`);
  const { doc: after, logged: events, items: effects } = taken;
  return { before: null, after, events, effects };
}

export interface DueCycle {
  readonly interval: Interval;
  /** Base units of the token. */
  readonly amount: bigint;
  readonly due: Date;
  /** When it was created; by default it is due at once. */
  readonly created: Date;
}

const DAILY: Interval = { unit: 'day', count: 1 };

/** Its second cycle is due. Daily by default, so nothing is checked in advance; of longer ones, all has been. */
export function subscriptionDue(
  { tenant, payer, receiver, signed }: Order,
  { interval = DAILY, amount = PRICE, due: now = new Date(), created = now }: Partial<DueCycle> = {},
): ActorDoc {
  const doc = subscriptionOf({ merchantId: tenant.merchantId, mode: tenant.mode }, created);
  const due = now.toISOString();
  const began = periodAt(due, interval, -1).start;
  const { terms, ...context } = subscriptionContext.parse(doc.context);
  const own = {
    ...terms,
    amount: amount.toString(),
    interval: { ...interval },
    destination: { evm: receiver, solana: receiver },
  };
  return {
    ...doc,
    // Its next event is number 1 in the log. A delivery waits for a missing earlier event, again and again.
    eventSeq: 0,
    value: { active: 'waiting' },
    context: {
      ...context,
      terms: own,
      payerWallet: payer,
      authorizedAt: began,
      anchor: began,
      currentPeriodEnd: due,
      wakeAt: due,
      cyclesCompleted: 1,
      ...(!signed ? {} : { consent: signed.consent, lastCycle: signed.cycle - 1 }),
    },
    wakeAt: now,
  };
}
