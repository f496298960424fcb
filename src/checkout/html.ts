import { escapeHtml } from '../pages/shell.ts';
import type { Billing, OfferDoc, PricingOption } from '../store/collections.ts';

/**
 * The content and price of an offer for visitors without scripts; they cannot pay, because payment needs a wallet. Text from
 * merchants is escaped.
 */
export function offerTerms(offer: OfferDoc, { isOpen }: { readonly isOpen: boolean }): string {
  const description = offer.description === null ? '' : `<p class="typed">${escapeHtml(offer.description)}</p>`;
  const options = offer.pricing.filter((option) => option.active).map(optionRow);
  const terms = isOpen ? `<ul>${options.join('')}</ul>` : `<p>${NOT_AVAILABLE}</p>`;
  const note = offer.mode === 'test' ? '<p>Test mode: no real money moves.</p>' : '';
  const lead = '<p>This page needs JavaScript to connect to your wallet.</p>';
  return `<main><h1>${escapeHtml(offer.name)}</h1>${description}${terms}${note}${lead}</main>`;
}

const NOT_AVAILABLE = 'This offer is not available at the moment.';

/** The line below the name where a link to the offer is shown: its description, else its prices. Not escaped. */
export function previewOf({ description, pricing }: OfferDoc, { isOpen }: { readonly isOpen: boolean }): string {
  if (!isOpen) return NOT_AVAILABLE;
  const options = pricing.filter(({ active }) => active);
  return description ?? options.map(priceOf).join(' or ');
}

function optionRow(option: PricingOption): string {
  const tokens = option.acceptedTokens.map(({ tokenKey }) => tokenKey).join(', ');
  const name = option.label ?? tokens;
  return `<li><span>${escapeHtml(name)}</span><strong>${escapeHtml(priceOf(option))}</strong></li>`;
}

function priceOf({ amount, currency, billing, trialDays }: PricingOption): string {
  const trial = trialDays === null || trialDays === 0 ? '' : `, after ${trialDays} days of trial`;
  return `${amount} ${currency} ${rhythm(billing)}${trial}`;
}

function rhythm({ type, interval, intervalCount }: Billing): string {
  if (type === 'one_time') return 'once';
  const count = intervalCount ?? 1;
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
}
