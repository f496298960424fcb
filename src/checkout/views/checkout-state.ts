import { blockedReasonOf } from '../../../machines/payment/changes.ts';
import { windowCapOf } from '../../../machines/rules/price-model.ts';
import type { CheckoutState, Outcome, SessionState } from '../../billing/checkout/checkout-state.ts';
import type { PayerState } from '../../billing/checkout/payer-state.ts';
import type { PermitToSign } from '../../billing/checkout/permits.ts';
import type { RequestedAllowance } from '../../billing/checkout/requested-allowance.ts';
import type { SessionDeposit, UnusedMoney } from '../../billing/checkout/session-deposit.ts';
import { type Catalog, explorerUrl } from '../../chains/catalog.ts';
import { shownDiscountView } from '../../http/discount.ts';
import { formatAmount } from '../../model/amounts.ts';
import {
  paymentAttributes,
  paymentContextOf,
  paymentStatusOf,
  paymentUnits,
  settledAtOf,
} from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import { subscriptionContextOf, subscriptionStatusOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type * as wire from '../wire.ts';
import { inBothUnits, requestedAllowanceView } from './offer.ts';
import { mandateView, permitToSignView, permitView } from './permit.ts';

export function payerStateView(requested: RequestedAllowance | null, payer: PayerState | null): wire.PayerState | null {
  if (requested === null || payer === null) return null;
  const amounts = pick(payer, 'allowance', 'balance', 'missingAllowance', 'missingBalance', 'missingNow');
  return {
    wallet: payer.wallet,
    ...inBothUnits(requested, amounts),
    hasOtherDelegate: payer.hasOtherDelegate === true,
  };
}

function depositView(requested: RequestedAllowance | null, deposit: SessionDeposit | null): wire.Deposit | null {
  if (requested === null || deposit === null) return null;
  const { address, due, arrived, confirmed, expiresAt, refundWallet, unused } = deposit;
  const missing = due > arrived ? due - arrived : 0n;
  return {
    address,
    ...inBothUnits(requested, { amount: due, arrived, confirmed, missing }),
    expiresAt: expiresAt.toISOString(),
    refundWallet,
    unused: unused.flatMap((money) => unusedView(requested, money)),
  };
}

function unusedView(
  { token: { playing } }: RequestedAllowance,
  { token, amount, fate, held, to }: UnusedMoney,
): wire.Deposit['unused'] {
  const known = playing.tokens.find(({ address }) => address === token);
  return known ? [{ amount: formatAmount(amount, known.decimals), ticker: known.ticker, fate, held, to }] : [];
}

export function progressView(
  { allowance, payer, mandate, outcome }: CheckoutState,
  permit: PermitToSign | null,
  catalog: Catalog,
): wire.Progress {
  return {
    asked: allowance && requestedAllowanceView(allowance),
    chain: payerStateView(allowance, payer),
    permitToSign: permitToSignView(permit),
    mandate: allowance && mandate && mandateView(mandate, allowance.token.play.decimals),
    outcome: outcomeView(outcome, allowance, catalog),
  };
}

/** `requested` null: no enabled chain plays the token any more. */
function outcomeView(outcome: Outcome, requested: RequestedAllowance | null, catalog: Catalog): wire.Outcome {
  const { subscription, payment, permit } = outcome;
  return {
    ...pick(outcome, 'progress', 'waitsFor', 'afterCompletion', 'receiptPath'),
    subscription: subscription && subscriptionView(subscription, catalog),
    payment: payment && paymentView(payment, requested, catalog),
    permit: permit && permitView(permit),
  };
}

function subscriptionView(doc: ActorDoc, catalog: Catalog): wire.Subscription {
  const context = subscriptionContextOf(doc);
  const { terms } = context;
  return {
    id: doc._id,
    status: subscriptionStatusOf(doc),
    ...pick(context, 'allowanceConfirmed', 'payerWallet', 'currentPeriodEnd', 'trialEnd', 'cyclesCompleted'),
    isMetered: terms.model?.kind === 'metered',
    ...(windowCapOf(terms) === null ? {} : { hasThreshold: true }),
    discount: shownDiscountView(context.discount, terms, catalog),
  };
}

function paymentView(doc: ActorDoc, requested: RequestedAllowance | null, catalog: Catalog): wire.Payment {
  const context = paymentContextOf(doc);
  const { pullTxHash } = context.hashes;
  const chainId = requested?.token.play.chainId ?? paymentAttributes.parse(doc.attributes).chainId;
  return {
    id: doc._id,
    status: paymentStatusOf(doc),
    amount: paymentUnits(doc, catalog)(context.amount),
    failureReason: context.failureReason,
    blockedReason: blockedReasonOf(context),
    pullTxHash,
    explorerUrl: pullTxHash === null ? null : explorerUrl(chainId, pullTxHash),
    paidAt: doc.status === 'settled' ? settledAtOf(doc).toISOString() : null,
  };
}

export function sessionView(state: SessionState, catalog: Catalog): wire.Session {
  const { session, merchant } = state;
  return {
    id: session._id,
    ...pick(session, 'kind', 'offerId', 'wallet', 'isExisting'),
    offerName: session.terms.offerName,
    priceId: session.terms.priceId,
    quantity: session.terms.quantity ?? null,
    discount: shownDiscountView(session.terms.discount, session.terms, catalog),
    merchantName: merchant.name,
    isSandbox: session.mode === 'test',
    paymentMethod: session.wallet === null ? 'wallet_transfer' : 'wallet_connect',
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.kind === 'payment' ? session.expiresAt.toISOString() : null,
    ...progressView(state, state.permit, catalog),
    deposit: depositView(state.allowance, state.deposit),
  };
}
