import type { RequestHandler } from 'express';
import { sendJson } from '../http/send.ts';
import type { Pages } from './pages.ts';
import { sendShell } from './send.ts';

export interface HomeDeps {
  readonly config: { readonly publicUrl: string };
  /** null: no local chains run beside the service. */
  devnet(): object | null;
}

/** `/`: what this address is and where to go, as a page for browsers, else as JSON with absolute URLs. */
export function homePage({ config: { publicUrl }, devnet }: HomeDeps, pages: Pages): RequestHandler {
  return async (request, response) => {
    response.setHeader('Vary', 'Accept');
    const hasDevnet = devnet() !== null;
    if (request.headers.accept?.includes('text/html') !== true) {
      sendJson(response, 200, {
        name: 'Tideline',
        api: `${publicUrl}/v1`,
        reference: `${publicUrl}/docs`,
        openapi: `${publicUrl}/openapi.json`,
        portal: `${publicUrl}/portal`,
        dashboard: `${publicUrl}/dashboard`,
        staff: `${publicUrl}/staff`,
        health: `${publicUrl}/health`,
        ...(hasDevnet ? { testWallets: `${publicUrl}/devnet.json` } : {}),
      });
      return;
    }
    await sendShell(response, pages, {
      name: 'home',
      title: 'Tideline',
      toRoot: '.',
      hasDevnet,
      withoutScripts: LINKS,
    });
  };
}

const LINKS =
  '<h1>Tideline</h1><p>Recurring payments in tokens: <a href="docs">API reference</a>, <a href="openapi.json">OpenAPI document</a>, ' +
  '<a href="portal">customer portal</a>, <a href="dashboard">dashboard</a>, <a href="staff">staff console</a>, <a href="health">health</a>.</p>';
