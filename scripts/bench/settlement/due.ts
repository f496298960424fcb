import { newPayment } from '../../../machines/payment/context.ts';
import { divide } from '../../../machines/rules/money.ts';
import { addDays } from '../../../machines/rules/period.ts';
import { subscriptionContext } from '../../../machines/subscription/context.ts';
import { MACHINES } from '../../../machines/versions.ts';
import type { PaymentAttributes } from '../../../src/billing/payments/attributes.ts';
import { advance } from '../../../src/engine/advance.ts';
import { projectionOf } from '../../../src/engine/projection.ts';
import { initialState, inputOf } from '../../../src/engine/step.ts';
import { versionOf } from '../../../src/engine/upcast.ts';
import { newId, partitionOf } from '../../../src/ids.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Tenant } from '../../../src/store/tenant.ts';
import { subscriptionOf } from '../api/documents.ts';
import { PRICE, type Shop } from './shop.ts';

const FEE_BPS = 100;

export interface Order {
  readonly tenant: Tenant;
  readonly token: Shop['token'];
  readonly payer: string;
  /** Where the merchant's part goes. */
  readonly receiver: string;
}

/**
 * A payment as POST /payments leaves it when its process dies right after the write: its machine has taken its creation, and
 * `charge.request` stands in its outbox for whoever looks.
 */
export function paymentDue({ tenant, token, payer, receiver }: Order): ActorDoc {
  const now = new Date();
  const id = newId('pay', now);
  const context = newPayment({
    id,
    cycleOf: null,
    amount: PRICE.toString(),
    fromWallet: payer,
    toWallet: receiver,
    forcedFailure: null,
  });
  const version = versionOf(MACHINES, { _id: id, kind: 'payment', machineVersion: MACHINES.payment.current.version });
  const input = inputOf(version, context);
  const state = initialState(version, input);
  const op = newId('op', now);
  const blank: ActorDoc = {
    ...tenant,
    _id: id,
    kind: 'payment',
    attributes: { ...attributesOf(id, token) },
    machineVersion: version.version,
    ...state,
    ...projectionOf(state),
    rev: 0,
    recentOps: [op],
    eventSeq: 0,
    outbox: [],
    relayAt: now,
    relayFailures: 0,
    partition: partitionOf(id),
    quarantine: null,
    createdAt: now,
    updatedAt: now,
  };
  const event = { type: 'actor.created', input };
  const made = advance(
    MACHINES,
    blank,
    { event, by: 'bench', sender: null },
    { op, now, admits: () => true, writes: {} },
  );
  if (made.outcome !== 'taken') throw new Error(`payment ${id} does not take its creation`);
  return made.doc;
}

function attributesOf(key: string, token: Shop['token']): PaymentAttributes {
  const { platformAmount, merchantAmount } = divide(PRICE, FEE_BPS, []);
  return {
    source: 'one_time',
    customerId: null,
    subscriptionId: null,
    cycle: null,
    offerId: null,
    priceId: null,
    tokenKey: token.key,
    chainId: token.chainId,
    platformAmount: platformAmount.toString(),
    merchantAmount: merchantAmount.toString(),
    feeBps: FEE_BPS,
    splits: [],
    destination: null,
    paymentMethod: 'wallet_connect',
    affiliatePartnerId: null,
    affiliateCommissionPct: null,
    metadata: {},
    refundWallet: null,
    idempotencyKey: key,
    apiKeyOf: key,
    requestHash: null,
  };
}

/** A daily subscription whose second cycle is due: nobody looks at the chain ahead of that. */
export function subscriptionDue({ tenant, token, payer, receiver }: Order): ActorDoc {
  const now = new Date();
  const doc = subscriptionOf({ merchantId: tenant.merchantId, mode: tenant.mode }, now);
  const due = now.toISOString();
  const began = addDays(due, -1);
  const { terms, ...context } = subscriptionContext.parse(doc.context);
  const daily = {
    ...terms,
    tokenKey: token.key,
    chainId: token.chainId,
    amount: PRICE.toString(),
    interval: { unit: 'day', count: 1 },
    destination: { evm: receiver, solana: receiver },
  };
  return {
    ...doc,
    value: { active: 'waiting' },
    context: {
      ...context,
      terms: daily,
      payerWallet: payer,
      authorizedAt: began,
      anchor: began,
      currentPeriodEnd: due,
      wakeAt: due,
      cyclesCompleted: 1,
    },
    wakeAt: now,
  };
}
