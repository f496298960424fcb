import type { ChainSays } from '../../billing/checkout/chain-says.ts';
import type { DepositStanding, UnusedMoney } from '../../billing/checkout/deposit-standing.ts';
import type { Asked } from '../../billing/checkout/lines.ts';
import type { Outcome } from '../../billing/checkout/standing.ts';
import type { PaymentRecord, SubscriptionRecord } from '../../billing/services.ts';
import { explorerUrl } from '../../chains/catalog.ts';
import { momentOrNull } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import type * as wire from '../wire.ts';
import { permitView } from './permit.ts';

export function chainSaysView(asked: Asked | null, says: ChainSays | null): wire.ChainSays | null {
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

export function depositStandingView(asked: Asked | null, deposit: DepositStanding | null): wire.Deposit | null {
  if (asked === null || deposit === null) return null;
  const { address, due, arrived, confirmed, expiresAt, refundWallet, unused } = deposit;
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
    refundWallet,
    unused: unused.flatMap((money) => unusedView(asked, money)),
  };
}

function unusedView({ place }: Asked, { token, amount, fate, held, to }: UnusedMoney): wire.Deposit['unused'] {
  const known = place.playing.tokens.find(({ address }) => address === token);
  return known ? [{ amount: formatAmount(amount, known.decimals), ticker: known.ticker, fate, held, to }] : [];
}

/** `asked` null: no enabled chain plays the token any more. */
export function outcomeView(outcome: Outcome, asked: Asked | null): wire.Outcome {
  const { progress, waitsFor, subscription, payment, permit, afterCompletion } = outcome;
  return {
    progress,
    waitsFor,
    subscription: subscription && subscriptionView(subscription),
    payment: payment && paymentView(payment, asked?.place.play.chainId ?? payment.chainId),
    permit: permit && permitView(permit),
    afterCompletion,
  };
}

function subscriptionView(subscription: SubscriptionRecord): wire.Subscription {
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

function paymentView(payment: PaymentRecord, chainId: number): wire.Payment {
  const { id, status, amount, decimals, failureReason: reason, blockedReason, pullTxHash, updatedAt } = payment;
  return {
    id,
    status,
    amount: formatAmount(amount, decimals),
    failureReason: reason,
    blockedReason,
    pullTxHash,
    explorerUrl: pullTxHash === null ? null : explorerUrl(chainId, pullTxHash),
    paidAt: status === 'settled' ? updatedAt.toISOString() : null,
  };
}
