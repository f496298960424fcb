import { z } from 'zod';
import { failureReason, moment } from '../../../machines/effects.ts';
import { deferral } from '../../../machines/subscription/context.ts';
import { formatAmount } from '../../billing/amounts.ts';
import type { ChainSays } from '../../billing/checkout/chain-says.ts';
import type { Asked } from '../../billing/checkout/lines.ts';
import type { DepositStanding, Outcome } from '../../billing/checkout/standing.ts';
import type { PaymentRecord, SubscriptionRecord } from '../../billing/services.ts';
import {
  computedAmount,
  idSchema,
  jsonMap,
  momentOrNull,
  paymentStatus,
  subscriptionStatus,
} from '../../http/schemas.ts';
import { permitSchema, permitView } from './permit.ts';

const baseUnits = z.string().regex(/^\d+$/);

/** The chain's data about the wallet, in units and base units of the playing token. */
export const chainSaysSchema = z.strictObject({
  wallet: z.string(),
  allowance: computedAmount,
  allowanceBaseUnits: baseUnits,
  balance: computedAmount,
  balanceBaseUnits: baseUnits,
  /** The amount that is missing for the next charge, after the charges of the wallet's other subscriptions. */
  missingAllowance: computedAmount,
  missingAllowanceBaseUnits: baseUnits,
  missingBalance: computedAmount,
  missingBalanceBaseUnits: baseUnits,
  /**
   * The amount that the balance lacks for a charge that happens as soon as the allowance is there; 0: none, or no such
   * charge.
   */
  missingNow: computedAmount,
  missingNowBaseUnits: baseUnits,
  /** Solana: the account's delegate is somebody else's, who loses it with the next approval. */
  hasOtherDelegate: z.boolean(),
});

/** The deposit for a payment, in units and base units of the playing token. */
export const depositSchema = z.strictObject({
  /** null: no more money may be sent. */
  address: z.string().nullable(),
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  /** The amount that has arrived, and the part that is deep enough in the chain to count. */
  arrived: computedAmount,
  arrivedBaseUnits: baseUnits,
  confirmed: computedAmount,
  confirmedBaseUnits: baseUnits,
  /** The amount still to be sent. */
  missing: computedAmount,
  missingBaseUnits: baseUnits,
  expiresAt: moment,
});

const subscriptionSchema = z.strictObject({
  id: idSchema('sub_'),
  status: subscriptionStatus,
  allowanceConfirmed: z.boolean(),
  payerWallet: z.string().nullable(),
  currentPeriodEnd: moment.nullable(),
  trialEnd: moment.nullable(),
  cyclesCompleted: z.int(),
});

const paymentSchema = z.strictObject({
  id: idSchema('pay_'),
  status: paymentStatus,
  amount: computedAmount,
  failureReason: failureReason.nullable(),
  pullTxHash: z.string().nullable(),
});

export const outcomeSchema = z.strictObject({
  /** `ended`: nothing more will happen. */
  progress: z.enum(['waiting', 'charging', 'completed', 'ended']),
  /** The event that must happen before it continues; null: none. */
  waitsFor: z.enum(['allowance', 'balance', 'deposit', 'next_attempt', 'chain', ...deferral.options]).nullable(),
  subscription: subscriptionSchema.nullable(),
  /**
   * The newest payment under the present terms; null: none yet. A charge under earlier terms, or of another wallet, does not
   * count.
   */
  payment: paymentSchema.nullable(),
  /** The last permit that was handed in; null: none. */
  permit: permitSchema.nullable(),
  /** From the offer; null until completion. */
  afterCompletion: jsonMap.nullable(),
});

export function chainSaysView(asked: Asked | null, says: ChainSays | null): z.output<typeof chainSaysSchema> | null {
  if (asked === null || says === null) return null;
  const { wallet, allowance, balance, missingAllowance, missingBalance, missingNow } = says;
  const inTokens = (units: bigint) => formatAmount(units, asked.place.play.decimals);
  return {
    wallet,
    allowance: inTokens(allowance),
    allowanceBaseUnits: allowance.toString(),
    balance: inTokens(balance),
    balanceBaseUnits: balance.toString(),
    missingAllowance: inTokens(missingAllowance),
    missingAllowanceBaseUnits: missingAllowance.toString(),
    missingBalance: inTokens(missingBalance),
    missingBalanceBaseUnits: missingBalance.toString(),
    missingNow: inTokens(missingNow),
    missingNowBaseUnits: missingNow.toString(),
    hasOtherDelegate: says.hasOtherDelegate === true,
  };
}

export function depositStandingView(
  asked: Asked | null,
  deposit: DepositStanding | null,
): z.output<typeof depositSchema> | null {
  if (asked === null || deposit === null) return null;
  const { address, due, arrived, confirmed, expiresAt } = deposit;
  const missing = due > arrived ? due - arrived : 0n;
  const inTokens = (units: bigint) => formatAmount(units, asked.place.play.decimals);
  return {
    address,
    amount: inTokens(due),
    amountBaseUnits: due.toString(),
    arrived: inTokens(arrived),
    arrivedBaseUnits: arrived.toString(),
    confirmed: inTokens(confirmed),
    confirmedBaseUnits: confirmed.toString(),
    missing: inTokens(missing),
    missingBaseUnits: missing.toString(),
    expiresAt: expiresAt.toISOString(),
  };
}

export function outcomeView(outcome: Outcome): z.output<typeof outcomeSchema> {
  const { progress, waitsFor, subscription, payment, permit, afterCompletion } = outcome;
  return {
    progress,
    waitsFor,
    subscription: subscription && subscriptionView(subscription),
    payment: payment && paymentView(payment),
    permit: permit && permitView(permit),
    afterCompletion,
  };
}

function subscriptionView(subscription: SubscriptionRecord): z.output<typeof subscriptionSchema> {
  const { id, status, allowanceConfirmed, payerWallet, currentPeriodEnd, trialEnd, cyclesCompleted } = subscription;
  return {
    id,
    status,
    allowanceConfirmed,
    payerWallet,
    currentPeriodEnd: momentOrNull(currentPeriodEnd),
    trialEnd: momentOrNull(trialEnd),
    cyclesCompleted,
  };
}

function paymentView(payment: PaymentRecord): z.output<typeof paymentSchema> {
  const { id, status, amount, decimals, failureReason: reason, pullTxHash } = payment;
  return { id, status, amount: formatAmount(amount, decimals), failureReason: reason, pullTxHash };
}
