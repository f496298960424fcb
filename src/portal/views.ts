import { blockedReasonOf } from '../../machines/subscription/changes.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import type { OwnSubscription, OwnSubscriptionState } from '../billing/portal/own-subscription.ts';
import type { OwnPayment } from '../billing/portal/portal.ts';
import type { PortalSession } from '../billing/portal/sessions.ts';
import { isInvoiced } from '../billing/receipts/invoices.ts';
import type { ChangeQuote } from '../billing/subscriptions/plan-changes.ts';
import { mayChangeQuantity } from '../billing/subscriptions/quantity.ts';
import { type Catalog, explorerUrl } from '../chains/catalog.ts';
import { progressView } from '../checkout/views/checkout-state.ts';
import { brandingView } from '../http/branding.ts';
import { shownDiscountView } from '../http/discount.ts';
import { meteredView, usageView } from '../http/metered.ts';
import { quoteView } from '../http/quote.ts';
import { unitsView } from '../http/schemas.ts';
import { paymentAttributes, paymentContextOf, paymentStatusOf, paymentUnits } from '../model/payment.ts';
import { orNull, pick } from '../model/pick.ts';
import { subscriptionAttributes, subscriptionContextOf, subscriptionStatusOf } from '../model/subscription.ts';
import type * as wire from './wire.ts';

export function sessionView({ subject, merchant, expiresAt }: PortalSession): wire.PortalSession {
  return {
    kind: subject.kind,
    wallet: subject.kind === 'wallet' ? subject.wallet : null,
    merchantName: merchant?.name ?? null,
    returnUrl: subject.kind === 'customer' ? subject.returnUrl : null,
    expiresAt: expiresAt.toISOString(),
  };
}

export function subscriptionView(own: OwnSubscription, catalog: Catalog): wire.PortalSubscription {
  const { doc, merchant, terms, next, hasEnd, pause, ended } = own;
  const context = subscriptionContextOf(doc);
  return {
    id: doc._id,
    merchantName: merchant.name,
    logoPath: brandingView(merchant).logoPath,
    offerName: subscriptionAttributes.parse(doc.attributes).offerName,
    isSandbox: doc.mode === 'test',
    status: subscriptionStatusOf(doc),
    price: priceView(terms, catalog),
    ticker: catalog.tokenByKey(terms.tokenKey)?.ticker ?? terms.tokenKey,
    ...pick(context, 'payerWallet', 'currentPeriodEnd', 'trialEnd', 'cancelAt', 'cyclesCompleted'),
    createdAt: doc.createdAt.toISOString(),
    nextCharge: next && { at: next.at, price: priceView(next.terms, catalog) },
    maxCycles: terms.maxCycles,
    blockedReason: blockedReasonOf(context),
    hasEnd,
    pause: pause && pick(pause, 'by', 'until', 'dueIfResumed'),
    discount: shownDiscountView(context.discount, terms, catalog),
    canSetQuantity: mayChangeQuantity(doc),
    ended: ended && pick(ended, 'reason', 'at'),
  };
}

export function detailView(own: OwnSubscriptionState, catalog: Catalog): wire.PortalDetail {
  const { changes, waiting, usage, lastChargeAt, pausesPeriodEnd, invoicedTo } = own;
  const labelOf = ({ priceId }: Terms) => own.options.find(({ id }) => id === priceId)?.label ?? null;
  return {
    ...subscriptionView(own, catalog),
    kind: 'subscription',
    label: labelOf(own.terms),
    changes: changes.map(({ option, change, quote }) => changeView(option.label, change.terms, quote, catalog)),
    pausesPeriodEnd,
    waiting: waiting && changeView(labelOf(waiting.terms), waiting.terms, waiting.quote, catalog),
    usage: usage && usageView(usage, catalog),
    lastChargeAt,
    invoicedTo: invoicedTo && orNull(invoicedTo, 'name', 'address', 'country', 'taxId'),
    ...progressView(own, null, catalog),
    permitToSign: null,
  };
}

function changeView(label: string | null, terms: Terms, quote: ChangeQuote, catalog: Catalog): wire.PortalChange {
  const { priceId, tokenKey } = terms;
  return { priceId, label, price: priceView(terms, catalog), quote: quoteView(quote, tokenKey, catalog) };
}

export function paymentView(own: OwnPayment, catalog: Catalog): wire.PortalPayment {
  const { doc, merchant, offerName, hasProof, receiptPath } = own;
  const { tokenKey, subscriptionId, quantity, usage, discount, credit } = paymentAttributes.parse(doc.attributes);
  const { amount, cycleOf, hashes, failureReason, nextAttemptAt, refunds = [] } = paymentContextOf(doc);
  const { pullTxHash } = hashes;
  const answer = catalog.play(tokenKey, doc.mode);
  const chainId = answer.ok ? answer.play.chainId : null;
  const inTokens = paymentUnits(doc, catalog);
  const pageOf = (hash: string) => (chainId === null ? null : explorerUrl(chainId, hash));
  return {
    id: doc._id,
    subscriptionId,
    merchantName: merchant.name,
    offerName,
    isSandbox: doc.mode === 'test',
    createdAt: doc.createdAt.toISOString(),
    periodStart: cycleOf?.periodStart ?? null,
    periodEnd: cycleOf?.periodEnd ?? null,
    quantity: quantity ?? null,
    unitsUsed: usage?.units ?? null,
    amount: inTokens(amount),
    ticker: catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey,
    network: chainId === null ? null : (catalog.chain(chainId)?.label ?? null),
    status: paymentStatusOf(doc),
    failureReason,
    nextAttemptAt,
    txHash: pullTxHash,
    explorerUrl: pullTxHash && pageOf(pullTxHash),
    hasProof,
    receiptPath,
    invoicePath: receiptPath && isInvoiced(merchant, doc) ? `${receiptPath}/invoice.pdf` : null,
    discount: discount ? { code: discount.code, amount: inTokens(discount.amount) } : null,
    credit: credit ? inTokens(credit.amount) : null,
    refunds: refunds.flatMap(({ amount: units, settledAt, transfer }) => {
      const txHash = transfer?.transaction;
      return txHash === undefined || settledAt === null
        ? []
        : [{ amount: inTokens(units), at: settledAt, txHash, explorerUrl: pageOf(txHash) }];
    }),
  };
}

function priceView(
  { priceAmount: amount, priceCurrency: currency, interval, tokenKey, model }: Terms,
  catalog: Catalog,
): wire.Price {
  const every = { interval: interval.unit, intervalCount: interval.count };
  return { amount, currency, ...every, units: unitsView(model), metered: meteredView(model, tokenKey, catalog) };
}
