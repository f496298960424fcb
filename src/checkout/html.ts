import type { JsonObject } from '../../machines/json.ts';
import { priceWords } from '../../machines/rules/price-words.ts';
import type { PageLanguage } from '../pages/language.ts';
import { escapeHtml } from '../pages/shell.ts';
import type { Offer, Option } from './wire.ts';

/** A page that shows nothing before its script runs: a skeleton, as `Loading` of the pages, or why there is nothing. */
export function loadingContent({ say }: PageLanguage, layout: 'columns' | 'page-narrow stack'): string {
  const lead = `<noscript><p>${escapeHtml(say('shell.needs_javascript'))}</p></noscript>`;
  const card = `<div class="card stack">${SKELETON_ROW.repeat(4)}${lead}</div>`;
  return `<main class="page ${layout}" aria-busy="true"><div class="stack">${SKELETON_ROW.repeat(2)}</div>${card}</main>`;
}

/**
 * The checkout before its script runs: the offer in the elements of the page (`web/checkout`), so that nothing moves
 * when the page replaces it, the prices, and a skeleton of the rest. Without scripts one cannot pay, because that needs
 * a wallet. Text from merchants is escaped. `toRoot`: the relative path to the root of the service.
 */
export function offerContent(offer: Offer, toRoot: string, language: PageLanguage): string {
  const { say } = language;
  const terms = offer.isOpen
    ? `${optionList(offer, language)}${skeletonOf(offer)}`
    : `<p>${escapeHtml(say('shell.offer_not_available'))}</p>`;
  const lead = `<noscript><p>${escapeHtml(say('shell.wallet_needs_javascript'))}</p></noscript>`;
  const card = `<div class="card" aria-busy="true"><div class="stack">${terms}${lead}</div></div>`;
  return `<main class="page columns">${banner(offer, language)}${description(offer, toRoot, language)}${card}</main>`;
}

/** The line below the name where a link to the offer is shown: its description, else its prices. Not escaped. */
export function previewOf({ description, pricing, isOpen }: Offer, language: PageLanguage): string {
  if (!isOpen) return language.say('shell.offer_not_available');
  if (description !== null) return description;
  const { inOneLine, priceOf, conditionsOf } = priceWords(language);
  const prices = pricing.map((option) => inOneLine([priceOf(option), ...conditionsOf(option)]));
  return new Intl.ListFormat(language.tag, { type: 'disjunction' }).format(prices);
}

function banner({ isSandbox, pricing }: Offer, { say, tag }: PageLanguage): string {
  if (!isSandbox) return '';
  const playing = pricing.flatMap(({ acceptedTokens }) => acceptedTokens.flatMap((token) => token.playing ?? []));
  const labels = [...new Set(playing.map(({ label }) => label))];
  const networks = new Intl.ListFormat(tag, { type: 'conjunction' }).format(labels);
  const where = labels.length === 0 ? '' : ` ${escapeHtml(say('banner.charges_on', { networks }))}`;
  return `<p class="test-banner"><strong>${escapeHtml(say('banner.test_mode'))}</strong>${where}</p>`;
}

function description(offer: Offer, toRoot: string, { say }: PageLanguage): string {
  const { name, merchantName, branding, imageUrl, unitsLeft, features } = offer;
  const image =
    imageUrl === null
      ? ''
      : `<img class="offer-image" src="${escapeHtml(imageUrl)}" alt="" referrerpolicy="no-referrer">`;
  const logo = branding.logoPath === null ? '' : `<img class="logo" src="${toRoot}${branding.logoPath}" alt="">`;
  const left = unitsLeft
    ? `<span class="badge">${escapeHtml(say('checkout.units_left', { units: unitsLeft }))}</span>`
    : '';
  const text = offer.description === null ? '' : `<p class="typed" dir="auto">${escapeHtml(offer.description)}</p>`;
  const items = features.flatMap(featureOf).map(({ title, text }) => {
    const more = text === null ? '' : `<span class="soft"> ${escapeHtml(text)}</span>`;
    return `<li><span class="typed" dir="auto">${escapeHtml(title)}${more}</span></li>`;
  });
  const list = items.length === 0 ? '' : `<ul class="features stack-tight">${items.join('')}</ul>`;
  return (
    `<section class="stack">${image}<div class="stack-tight">` +
    `<p class="row soft">${logo}<bdi>${escapeHtml(merchantName)}</bdi></p>` +
    `<h1><bdi>${escapeHtml(name)}</bdi></h1><div class="row">${left}</div></div>${text}${list}</section>`
  );
}

/** As `featureOf` of the pages: the known parts of a merchant's free-form map. */
function featureOf(map: JsonObject): { readonly title: string; readonly text: string | null }[] {
  const [title] = [map['title'], map['name'], map['label'], map['text']].filter((each) => typeof each === 'string');
  const details = [map['description'], map['title'] === undefined ? null : map['text']];
  const [text = null] = details.filter((each) => typeof each === 'string');
  return title === undefined ? [] : [{ title, text }];
}

function optionList({ pricing }: Offer, language: PageLanguage): string {
  const radio = (at: number) => `<input type="radio"${at === 0 ? ' checked' : ''} disabled>`;
  const names = priceWords(language).namesOf(pricing);
  const rows = pricing.map((option, at) => {
    const row = optionRow(option, names[at] ?? '', language);
    return `<label class="choice">${pricing.length > 1 ? radio(at) : ''}${row}</label>`;
  });
  const title = language.say(pricing.length > 1 ? 'checkout.choose' : 'checkout.price');
  return `<fieldset class="stack-tight" disabled><legend>${escapeHtml(title)}</legend>${rows.join('')}</fieldset>`;
}

function optionRow(option: Option, name: string, language: PageLanguage): string {
  const { priceOf, conditionsOf } = priceWords(language);
  const conditions = conditionsOf(option);
  const rows = conditions.map((condition) => `<li>${escapeHtml(condition)}</li>`).join('');
  const isNamed = conditions.every((condition) => name.includes(condition));
  const soft = isNamed ? '' : `<ul class="conditions small soft">${rows}</ul>`;
  const price = `<strong class="number">${escapeHtml(priceOf(option))}</strong>`;
  return `<span class="spread"><span data-part="price-name">${escapeHtml(name)}</span> ${price}${soft}</span>`;
}

/** The skeleton has the height of the later content: the tokens of the first price, the fields, and the button. */
function skeletonOf({ pricing, collectFields }: Offer): string {
  const [first] = pricing;
  const quantity = first?.units?.changedBy === 'customer' ? 1 : 0;
  const rows = (first?.acceptedTokens.length ?? 0) + quantity + Object.keys(collectFields).length + 2;
  return SKELETON_ROW.repeat(rows);
}

const SKELETON_ROW = '<div class="skeleton" aria-hidden="true"></div>';
