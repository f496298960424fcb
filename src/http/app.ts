import express, { type Express } from 'express';
import { authorizePage, checkoutPage } from '../checkout/page.ts';
import { checkoutRouter } from '../checkout/router.ts';
import { notFound } from '../errors/fault.ts';
import { assetFile, embedScript } from '../pages/assets.ts';
import { metricsPage } from '../staff/metrics.ts';
import { staffPage } from '../staff/page.ts';
import { staffRouter } from '../staff/router.ts';
import { apiRouter } from './api.ts';
import type { HttpDeps } from './deps.ts';
import { docsRouter } from './docs/router.ts';
import { PUBLIC_PER_MINUTE } from './limits.ts';
import { accessLog } from './middleware/access-log.ts';
import { answerErrors, unknownPath } from './middleware/errors.ts';
import { perAddress } from './middleware/rate-limit.ts';
import { requestId } from './middleware/request-id.ts';
import { WindowCounters } from './middleware/windows.ts';
import { publishedDocument } from './openapi/publish.ts';
import { sendJson } from './send.ts';

/** The whole HTTP side of the service, without a socket. */
export function createApp(deps: HttpDeps): Express {
  const counters = new WindowCounters(deps.store.counters);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', deps.config.trustProxyHops);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(requestId);
  app.use(accessLog(deps.log));
  app.use('/v1', apiRouter(deps, counters));
  app.use('/staff/api', staffRouter(deps, counters));
  app.get('/staff', staffPage(deps));
  app.use('/checkout/api', checkoutRouter(deps, counters));
  const limited = (purpose: keyof typeof PUBLIC_PER_MINUTE) =>
    perAddress(counters, deps.clock, { purpose, perMinute: PUBLIC_PER_MINUTE[purpose] });
  app.get('/checkout/:offerId', limited('checkout'), checkoutPage(deps));
  app.get('/checkout/authorize/:token', limited('checkout'), authorizePage(deps));
  app.get('/assets/:name', limited('asset'), assetFile(deps.pages));
  app.get('/embed.js', limited('embed'), embedScript(deps.pages));
  app.get('/openapi.json', publishedDocument(deps.config));
  app.use(docsRouter());
  app.get('/health', async (_request, response) => {
    const report = await deps.health();
    sendJson(response, report.status === 'down' ? 503 : 200, report);
  });
  app.get('/metrics', metricsPage(deps, counters));
  app.get('/.well-known/jwks.json', (_request, response) => {
    sendJson(response, 200, { keys: deps.services.proofs.keys });
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
