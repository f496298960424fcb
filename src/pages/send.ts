import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { methodOf } from '../http/router.ts';
import { sendPage } from '../http/send.ts';
import type { BuiltPages } from './built-pages.ts';
import { languageOf, type PageLanguage } from './language.ts';
import type { Pages } from './pages.ts';
import { type Allowed, contentSecurityPolicy } from './policy.ts';
import { escapeHtml, type Shell, shellPage, UNAVAILABLE_PAGE } from './shell.ts';

export interface PageToSend extends Omit<Shell, 'entry' | 'language'> {
  /** Its folder below `web/`. */
  readonly name: string;
  /** Default: 200. */
  readonly status?: number;
  readonly allowed?: Allowed;
  /** The request, if the page is the same for everybody and has no secret. */
  readonly publicTo?: Request;
}

/** Answers with the shell of a page and its policy; 503 if the pages are not built. */
export async function sendShell(response: ServerResponse, pages: Pages, page: PageToSend): Promise<void> {
  send(response, await pages.current(), page);
}

/** As `sendShell`, for a page in the language of its reader. */
export async function sendShellInLanguage(
  request: Request,
  response: ServerResponse,
  pages: Pages,
  pageIn: (language: PageLanguage) => PageToSend,
): Promise<void> {
  const build = await pages.current();
  const language = languageOf(request, build?.texts ?? new Map());
  response.setHeader('Vary', 'Accept-Language');
  send(response, build, build === null ? null : pageIn(language), language);
}

function send(
  response: ServerResponse,
  build: BuiltPages | null,
  page: PageToSend | null,
  language?: PageLanguage,
): void {
  const entry = (page && build?.entry(page.name)) ?? null;
  guardPage(response, page?.allowed);
  if (page === null || entry === null) {
    response.setHeader('Retry-After', '30');
    sendPage(response, 503, UNAVAILABLE_PAGE, contentSecurityPolicy());
    return;
  }
  const catalog = (language && build?.catalog(language.tag)) ?? null;
  const preloads = catalog === null ? entry.preloads : [...entry.preloads, catalog];
  const shell = { ...page, entry: { ...entry, preloads }, ...(language === undefined ? {} : { language }) };
  sendPage(response, page.status ?? 200, shellPage(shell), contentSecurityPolicy(page.allowed), page.publicTo);
}

/** The rules outside of the policy: other tabs and frames, and the functions of the device. */
function guardPage(response: ServerResponse, { framedBy = null }: Allowed = {}): void {
  if (framedBy === null) response.setHeader('X-Frame-Options', 'DENY');
  // Some wallets open their own window, which must reach this page.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=()');
}

/** A page for payers that needs no script: what it shows is its HTML. */
export interface PlainPage extends Pick<PageToSend, 'status' | 'allowed'> {
  readonly title: string;
  /** Safe HTML. `toRoot`: the relative path to the root of the service. */
  readonly html: (toRoot: string) => string;
}

/** Answers in the language of the reader, with a choice of the others. */
export async function sendPlainPage(
  request: Request,
  response: ServerResponse,
  pages: Pages,
  pageIn: (language: PageLanguage) => PlainPage,
): Promise<void> {
  const steps = new URL(request.originalUrl, 'http://service').pathname.split('/').length - 2;
  const toRoot = steps === 0 ? '.' : Array(steps).fill('..').join('/');
  await sendShellInLanguage(request, response, pages, (language) => {
    const { html, ...page } = pageIn(language);
    return { ...page, name: 'plain', toRoot, body: `<div id="app">${html(toRoot)}${languagesBelow(language)}</div>` };
  });
}

/** As `Languages` of the pages with a script. */
function languagesBelow({ tag, all, say }: PageLanguage): string {
  const links = all.map((each) => {
    const name = new Intl.DisplayNames([each], { type: 'language' }).of(each) ?? each;
    const text = name.charAt(0).toLocaleUpperCase(each) + name.slice(1);
    return each === tag
      ? `<strong lang="${each}" aria-current="true">${text}</strong>`
      : `<a href="?lang=${each}" lang="${each}" hreflang="${each}">${text}</a>`;
  });
  const label = escapeHtml(say('language.choose'));
  return `<footer class="page page-footer"><nav class="row small" aria-label="${label}">${links.join('')}</nav></footer>`;
}

/** The parts of the service that payers have links to. */
const LOST = {
  checkout: 'lost.checkout',
  authorize: 'lost.authorize',
  portal: 'lost.portal',
  receipts: 'lost.receipt',
} as const;

/** A page for people who have typed a wrong address or got half a link. Programs get the JSON of every unknown path. */
export function lostPage(pages: Pages): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET' || !wantsPage(request)) return next();
    await sendLostPage(request, response, pages);
  };
}

/** Says what is wrong with an address below `/checkout`, `/portal`, `/authorize` or `/receipts`, and what to do. */
export function sendLostPage(request: Request, response: ServerResponse, pages: Pages): Promise<void> {
  const [, area = '', next] = new URL(request.originalUrl, 'http://service').pathname.split('/');
  const key =
    next === 'authorize'
      ? LOST.authorize
      : (Object.entries(LOST).find(([name]) => name === area)?.[1] ?? LOST.checkout);
  return sendPlainPage(request, response, pages, ({ say }) => {
    const title = say('shell.not_found');
    const text = (toRoot: string) =>
      `<main class="page page-narrow stack"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(say(key))}</p>` +
      `<p><a href="${toRoot}/portal">${escapeHtml(say('purchase.open_portal'))}</a></p></main>`;
    return { title, status: 404, html: text };
  });
}

export function wantsPage({ headers }: Pick<Request, 'headers'>): boolean {
  return headers.accept?.includes('text/html') === true;
}
