import type { PageLanguage } from '../pages/language.ts';
import { escapeHtml } from '../pages/shell.ts';
import type { OfferDoc, PricingOption } from '../store/collections.ts';

interface Shown {
  readonly isOpen: boolean;
  readonly language: PageLanguage;
}

/** For visitors without scripts, where there is nothing else to show. */
export function needsJavaScript({ say }: PageLanguage): string {
  return `<p>${escapeHtml(say('shell.needs_javascript'))}</p>`;
}

/**
 * The content and price of an offer for visitors without scripts; they cannot pay, because payment needs a wallet. Text
 * from merchants is escaped.
 */
export function offerTerms(offer: OfferDoc, { isOpen, language }: Shown): string {
  const { say } = language;
  const description =
    offer.description === null ? '' : `<p class="typed" dir="auto">${escapeHtml(offer.description)}</p>`;
  const options = offer.pricing.filter((option) => option.active).map((option) => optionRow(option, language));
  const terms = isOpen ? `<ul>${options.join('')}</ul>` : `<p>${escapeHtml(say('shell.offer_not_available'))}</p>`;
  const note = offer.mode === 'test' ? `<p>${escapeHtml(say('shell.test_mode'))}</p>` : '';
  const lead = `<p>${escapeHtml(say('shell.wallet_needs_javascript'))}</p>`;
  return `<main><h1 dir="auto">${escapeHtml(offer.name)}</h1>${description}${terms}${note}${lead}</main>`;
}

/** The line below the name where a link to the offer is shown: its description, else its prices. Not escaped. */
export function previewOf({ description, pricing }: OfferDoc, { isOpen, language }: Shown): string {
  if (!isOpen) return language.say('shell.offer_not_available');
  if (description !== null) return description;
  const prices = pricing.filter(({ active }) => active).map((option) => priceOf(option, language));
  return new Intl.ListFormat(language.tag, { type: 'disjunction' }).format(prices);
}

function optionRow(option: PricingOption, language: PageLanguage): string {
  const tokens = option.acceptedTokens.map(({ tokenKey }) => tokenKey).join(', ');
  const name = option.label ?? tokens;
  return `<li><bdi>${escapeHtml(name)}</bdi> <strong>${escapeHtml(priceOf(option, language))}</strong></li>`;
}

function priceOf({ amount, currency, billing, trialDays }: PricingOption, { say }: PageLanguage): string {
  const price = `${amount} ${currency}`;
  const { type, interval, intervalCount } = billing;
  if (type === 'one_time' || interval === null) return say('shell.price_once', { price });
  const rhythm = say(`rhythm.${interval}`, { count: intervalCount ?? 1 });
  return trialDays === null || trialDays === 0
    ? say('shell.price_recurring', { price, rhythm })
    : say('shell.price_after_trial', { price, rhythm, days: trialDays });
}
