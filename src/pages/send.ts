import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { sendPage } from '../http/send.ts';
import type { BuiltPages } from './built-pages.ts';
import { languageOf, type PageLanguage } from './language.ts';
import type { Pages } from './pages.ts';
import { type Allowed, contentSecurityPolicy } from './policy.ts';
import { type Shell, shellPage, UNAVAILABLE_PAGE } from './shell.ts';

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
