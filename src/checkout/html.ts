import { createHash } from 'node:crypto';
import type { Billing, OfferDoc, PricingOption } from '../store/collections.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f4f6f8; color: #17212b; }
main { max-width: 34rem; margin: 4rem auto; padding: 2rem; }
main { background: #fff; border-radius: 12px; box-shadow: 0 1px 4px #0002; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; }
ul { list-style: none; padding: 0; }
li { display: flex; justify-content: space-between; gap: 1rem; padding: .75rem 0; border-top: 1px solid #e3e8ed; }
.note { color: #5b6875; font-size: .875rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing may run, be loaded, be sent or frame the page; its one style sheet is named by its hash. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What an offer is and costs, as a page. Everything that a merchant wrote is escaped. */
export function offerPage(offer: OfferDoc, { isOpen }: { readonly isOpen: boolean }): string {
  const description = offer.description === null ? '' : `<p>${escapeHtml(offer.description)}</p>`;
  const options = offer.pricing.filter((option) => option.active).map(optionRow);
  const terms = isOpen ? `<ul>${options.join('')}</ul>` : '<p>This offer is not available at the moment.</p>';
  const note = offer.mode === 'test' ? '<p class="note">Test mode: no real money moves.</p>' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(offer.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(offer.name)}</h1>
${description}
${terms}
${note}
</main>
</body>
</html>
`;
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

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
