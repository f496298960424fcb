import type { Terms } from '../../machines/subscription/context.ts';
import type { OwnPayment } from '../billing/portal/portal.ts';
import type { PortalSession } from '../billing/portal/sessions.ts';
import type { OwnStanding, OwnSubscription } from '../billing/portal/standing.ts';
import type { Catalog } from '../chains/catalog.ts';
import { explorerUrl } from '../chains/catalog.ts';
import { askedView } from '../checkout/views/asked.ts';
import { mandateView } from '../checkout/views/mandate.ts';
import { chainSaysView, outcomeView } from '../checkout/views/standing.ts';
import { brandingView } from '../http/branding.ts';
import { momentOrNull } from '../http/schemas.ts';
import { formatAmount } from '../model/amounts.ts';
import type { PortalSubject } from '../store/collections.ts';
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
  const { record, merchant, terms, next, hasEnd, ended } = own;
  return {
    id: record.id,
    merchantName: merchant.name,
    logoPath: brandingView(merchant).logoPath,
    offerName: record.offerName,
    isSandbox: record.mode === 'test',
    status: record.status,
    price: priceView(terms),
    ticker: catalog.tokenByKey(record.tokenKey)?.ticker ?? record.tokenKey,
    payerWallet: record.payerWallet,
    createdAt: record.createdAt.toISOString(),
    currentPeriodEnd: momentOrNull(record.currentPeriodEnd),
    trialEnd: momentOrNull(record.trialEnd),
    cancelAt: momentOrNull(record.cancelAt),
    nextCharge: next && { at: momentOrNull(next.at), price: priceView(next.terms) },
    cyclesCompleted: record.cyclesCompleted,
    maxCycles: terms.maxCycles,
    blockedReason: record.blockedReason,
    hasEnd,
    ended: ended && { reason: ended.reason, at: ended.at.toISOString() },
  };
}

/** A wallet that has signed in may see the names of its other subscriptions on the same approval; a merchant's link shows none. */
export function detailView(own: OwnStanding, subject: PortalSubject, catalog: Catalog): wire.PortalDetail {
  const { asked, says, mandate, outcome } = own;
  return {
    ...subscriptionView(own, catalog),
    kind: 'subscription',
    asked: asked && askedView(asked, { isSigned: subject.kind === 'wallet' }),
    chain: chainSaysView(asked, says),
    permitToSign: null,
    mandate: asked && mandate && mandateView(mandate, asked.place.play.decimals),
    outcome: outcomeView(outcome, asked),
  };
}

export function paymentView(
  { record, merchant, offerName, hasProof }: OwnPayment,
  catalog: Catalog,
): wire.PortalPayment {
  const { tokenKey, mode, pullTxHash } = record;
  const answer = catalog.play(tokenKey, mode);
  const chainId = answer.ok ? answer.play.chainId : null;
  return {
    id: record.id,
    subscriptionId: record.subscriptionId,
    merchantName: merchant.name,
    offerName,
    isSandbox: mode === 'test',
    createdAt: record.createdAt.toISOString(),
    periodStart: momentOrNull(record.periodStart),
    periodEnd: momentOrNull(record.periodEnd),
    amount: formatAmount(record.amount, record.decimals),
    ticker: catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey,
    network: chainId === null ? null : (catalog.chain(chainId)?.label ?? null),
    status: record.status,
    failureReason: record.failureReason,
    txHash: pullTxHash,
    explorerUrl: chainId === null || pullTxHash === null ? null : explorerUrl(chainId, pullTxHash),
    hasProof,
  };
}

function priceView({ priceAmount, priceCurrency, interval }: Terms): wire.Price {
  return { amount: priceAmount, currency: priceCurrency, interval: interval.unit, intervalCount: interval.count };
}
