import type { ServerResponse } from 'node:http';
import { sendPage } from '../http/send.ts';
import type { Pages } from './pages.ts';
import { type Allowed, contentSecurityPolicy } from './policy.ts';
import { type Shell, shellPage, UNAVAILABLE_PAGE } from './shell.ts';

export interface PageToSend extends Omit<Shell, 'entry'> {
  /** Its folder below `web/`. */
  readonly name: string;
  /** Default: 200. */
  readonly status?: number;
  readonly allowed?: Allowed;
}

/** Answers with the shell of a page and its policy; 503 if the pages are not built. */
export async function sendShell(response: ServerResponse, pages: Pages, page: PageToSend): Promise<void> {
  const entry = (await pages.current())?.entry(page.name) ?? null;
  guardPage(response, page.allowed);
  if (entry === null) {
    response.setHeader('Retry-After', '30');
    sendPage(response, 503, UNAVAILABLE_PAGE, contentSecurityPolicy());
    return;
  }
  sendPage(response, page.status ?? 200, shellPage({ ...page, entry }), contentSecurityPolicy(page.allowed));
}

/** The rules outside of the policy: other tabs and frames, and the functions of the device. */
function guardPage(response: ServerResponse, { framedBy = null }: Allowed = {}): void {
  if (framedBy === null) response.setHeader('X-Frame-Options', 'DENY');
  // Some wallets open their own window, which must reach this page.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=()');
}
