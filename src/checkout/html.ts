import { escapeHtml } from '../pages/shell.ts';
import type { Billing, OfferDoc, PricingOption } from '../store/collections.ts';

/**
 * The content and price of an offer for visitors without scripts; they cannot pay, because payment needs a wallet. Text from
 * merchants is escaped.
 */
export function offerTerms(offer: OfferDoc, { isOpen }: { readonly isOpen: boolean }): string {
  const description = offer.description === null ? '' : `<p class="typed">${escapeHtml(offer.description)}</p>`;
  const options = offer.pricing.filter((option) => option.active).map(optionRow);
  const terms = isOpen ? `<ul>${options.join('')}</ul>` : '<p>This offer is not available at the moment.</p>';
  const note = offer.mode === 'test' ? '<p>Test mode: no real money moves.</p>' : '';
  const lead = '<p>This page needs JavaScript to connect to your wallet.</p>';
  return `<main><h1>${escapeHtml(offer.name)}</h1>${description}${terms}${note}${lead}</main>`;
}

function optionRow(option: PricingOption): string {
  const tokens = option.acceptedTokens.map(({ tokenKey }) => tokenKey).join(', ');
  const name = option.label ?? tokens;
  const trial = option.trialDays === null || option.trialDays === 0 ? '' : `, after ${option.trialDays} days of trial`;
  const price = `${option.amount} ${option.currency} ${rhythm(option.billing)}${trial}`;
  return `<li><span>${escapeHtml(name)}</span><strong>${escapeHtml(price)}</strong></li>`;
}

function rhythm({ type, interval, intervalCount }: Billing): string {
  if (type === 'one_time') return 'once';
  const count = intervalCount ?? 1;
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
}
