import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import express from 'express';
import { publishedDocument } from '../api/openapi/document.ts';
import { apiRouter } from '../api/router.ts';
import { proofKeys } from '../billing/proof/proofs.ts';
import { authorizePage, checkoutPage } from '../checkout/page.ts';
import { checkoutRouter } from '../checkout/routes.ts';
import { dashboardPage } from '../dashboard/page.ts';
import { dashboardRouter } from '../dashboard/router.ts';
import { docsRouter } from '../docs/router.ts';
import { notFound } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { accessLog, requestId } from '../http/middleware/access-log.ts';
import { clientOf } from '../http/middleware/client-address.ts';
import { answerErrors, unknownPath } from '../http/middleware/errors.ts';
import { PUBLIC_PER_MINUTE, perAddress } from '../http/middleware/rate-limit.ts';
import { sendJson } from '../http/send.ts';
import { stopLettersPage } from '../letters/stop-page.ts';
import { homePage } from '../pages/home.ts';
import { favicon } from '../pages/icon.ts';
import { assetFile, embedScript, logoFile } from '../pages/logo.ts';
import type { Pages } from '../pages/pages.ts';
import { lostPage } from '../pages/send.ts';
import { portalPage } from '../portal/page.ts';
import { receiptInvoice, receiptPage } from '../portal/receipt.ts';
import { portalRouter } from '../portal/routes.ts';
import { healthPage, metricsPage } from '../staff/monitor.ts';
import { staffPage } from '../staff/page.ts';
import { staffRouter } from '../staff/routes.ts';
import { WindowCounters } from '../store/windows.ts';

export interface AppDeps extends HttpDeps {
  readonly pages: Pages;
}

/** Answers 200 as long as the process handles requests at all, also before it is ready. */
export function livez(_request: IncomingMessage, response: ServerResponse): void {
  sendJson(response, 200, { status: 'ok' });
}

/** The whole HTTP side of the service, without a socket: both APIs, the pages and the public files. */
export function createApp(deps: AppDeps): Express {
  const counters = new WindowCounters(deps.store.counters);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', deps.config.trustProxyHops);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(requestId);
  app.use(accessLog(deps.log, deps.answered));
  app.use((request, _response, next) => {
    if (!clientOf(request).isReadable) deps.unreadable.note();
    next();
  });
  app.get('/', homePage(deps, deps.pages));
  app.use('/v1', apiRouter(deps, counters));
  app.use('/staff/api', staffRouter(deps, counters));
  app.get('/staff', staffPage(deps.pages));
  app.use('/checkout/api', checkoutRouter(deps, counters));
  app.use('/dashboard/api', dashboardRouter(deps, counters));
  app.use('/portal/api', portalRouter(deps, counters));
  const limited = (purpose: keyof typeof PUBLIC_PER_MINUTE) =>
    perAddress(counters, deps.clock, { purpose, perMinute: PUBLIC_PER_MINUTE[purpose] });
  app.get('/checkout/:offerId', limited('checkout'), checkoutPage(deps, deps.pages));
  app.get('/checkout/authorize/:token', limited('checkout'), authorizePage(deps, deps.pages));
  app.get('/portal', limited('portal'), portalPage(deps, deps.pages));
  app.get('/receipts/:id/:secret', limited('checkout'), receiptPage(deps, deps.pages));
  app.get('/receipts/:id/:secret/invoice.pdf', limited('checkout'), receiptInvoice(deps));
  app.get('/letters/:id/:secret', limited('checkout'), stopLettersPage(deps, deps.pages));
  app.post('/letters/:id/:secret', limited('checkout'), stopLettersPage(deps, deps.pages));
  app.get(/^\/(?:checkout|authorize|portal|receipts)(?:\/|$)/, limited('checkout'), lostPage(deps.pages));
  app.get('/dashboard', limited('dashboard'), dashboardPage(deps, deps.pages));
  app.get('/favicon.ico', favicon);
  app.get('/assets/:name', limited('asset'), assetFile(deps.pages));
  app.get('/logos/:logoId', limited('asset'), logoFile(deps.store.records));
  app.get('/embed.js', limited('embed'), embedScript(deps.pages));
  app.get('/openapi.json', publishedDocument(deps.config));
  app.use(docsRouter(deps.config, deps.pages));
  app.get('/livez', livez);
  app.get('/readyz', async (_request, response) => {
    const isReady = await deps.isReady();
    sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'down' });
  });
  app.get('/health', healthPage(deps, counters));
  app.get('/metrics', metricsPage(deps, counters));
  app.get('/.well-known/jwks.json', (_request, response) => {
    sendJson(response, 200, { keys: proofKeys(deps) });
  });
  app.get('/devnet.json', (_request, response) => {
    const description = deps.devnet();
    if (description === null) throw notFound();
    sendJson(response, 200, description);
  });
  app.use(unknownPath);
  app.use(answerErrors(deps.log));
  return app;
}
