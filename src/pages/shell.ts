import type { PageEntry } from './built-pages.ts';
import { ICON_LINK } from './icon.ts';
import type { PageLanguage } from './language.ts';

/** The parts of a page before its script runs. */
export interface Shell {
  readonly title: string;
  readonly entry: PageEntry;
  /** Absent: English. */
  readonly language?: Pick<PageLanguage, 'tag' | 'direction'>;
  /** Relative path from the page to the root of the service, such as `..`; the page may be behind a path of a proxy. */
  readonly toRoot: string;
  /** True if local chains run beside the service, so that a payer can choose their test wallets. */
  readonly hasDevnet?: boolean;
  /** How wallets on other devices are reached; null: not at all. */
  readonly walletConnect?: { readonly projectId: string; readonly relayUrl: string } | null;
  /** What other sites and apps show of a link to the page (Open Graph); any text is escaped. */
  readonly preview?: { readonly description: string; readonly imageUrl: string | null };
  /** Safe HTML for browsers without scripts. */
  readonly withoutScripts?: string;
  /** The first view: safe HTML, which the script replaces, and the data from which it makes the same view. */
  readonly first?: { readonly html: string; readonly data: object | null };
  /** Safe HTML of a page that is complete without scripts. */
  readonly body?: string;
}

/** The HTML of a page: it loads everything from `/assets/` and has nothing inline. */
export function shellPage(shell: Shell): string {
  const {
    title,
    entry,
    language,
    toRoot,
    hasDevnet = false,
    walletConnect = null,
    preview,
    withoutScripts = '<p>This page needs JavaScript.</p>',
    first,
    body = `<div id="app">${first?.html ?? ''}</div>${first === undefined ? `\n<noscript>${withoutScripts}</noscript>` : ''}`,
  } = shell;
  const asset = (name: string) => `${toRoot}/assets/${name}`;
  const { tag, direction } = language ?? { tag: 'en', direction: 'ltr' };
  return [
    '<!doctype html>',
    `<html lang="${tag}" dir="${direction}" data-root="${toRoot}"${hasDevnet ? ' data-devnet' : ''}${relayOf(walletConnect)}>`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    ...(preview === undefined ? [] : previewTags(title, preview)),
    ICON_LINK,
    ...entry.styles.map((name) => `<link rel="stylesheet" href="${asset(name)}">`),
    ...entry.preloads.map((name) => `<link rel="modulepreload" href="${asset(name)}">`),
    `<script type="module" src="${asset(entry.script)}"></script>`,
    ...(first?.data ? [`<script type="application/json" id="data">${jsonInHtml(first.data)}</script>`] : []),
    '</head>',
    '<body>',
    body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Data, not a script: the policy of the page does not concern it. No text in it can end the element. */
function jsonInHtml(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function relayOf(walletConnect: Shell['walletConnect']): string {
  if (!walletConnect) return '';
  const { projectId, relayUrl } = walletConnect;
  return ` data-walletconnect="${escapeHtml(projectId)}" data-relay="${escapeHtml(relayUrl)}"`;
}

function previewTags(title: string, { description, imageUrl }: NonNullable<Shell['preview']>): string[] {
  const tag = (property: string, content: string) =>
    `<meta property="og:${property}" content="${escapeHtml(content)}">`;
  return [
    `<meta name="description" content="${escapeHtml(description)}">`,
    tag('type', 'website'),
    tag('title', title),
    tag('description', description),
    ...(imageUrl === null ? [] : [tag('image', imageUrl)]),
  ];
}

/** The page when the pages are not built, and no other language is. */
export const UNAVAILABLE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not available at the moment</title>
${ICON_LINK}
</head>
<body>
<main>
<h1>This page is not available at the moment</h1>
<p>Its files are missing on the server. Nothing has been charged. Please try again later.</p>
<p>For whoever runs the server: <code>npm run build</code> makes them; the log says what went wrong.</p>
</main>
</body>
</html>
`;

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
