import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { auditState } from '../billing/audit/state.ts';
import { httpRates, type Rates, STATIC_RATES, staticRates } from '../billing/offers/rates.ts';
import { useFastKeccak } from '../chains/evm/keccak.ts';
import { MandateReader } from '../chains/mandate-reader.ts';
import type { Chains } from '../chains/port.ts';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import { oneIn } from '../engine/step.ts';
import type { HttpDeps } from '../http/deps.ts';
import { listeningUrl } from '../http/listening-url.ts';
import { startHttpServer } from '../http/server.ts';
import { unreadableClients } from '../http/unreadable-clients.ts';
import { invoicePdfs } from '../invoices/invoice-pdf.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { secretHash } from '../model/secrets.ts';
import { type Log, timed } from '../observability/log.ts';
import { packageVersion } from '../package/root.ts';
import { createPages, pagesPaths } from '../pages/pages.ts';
import { openMongoStore } from '../store/mongo/store.ts';
import type { LedgerStore } from '../store/port.ts';
import { within } from '../store/within.ts';
import { Workers } from '../store/workers.ts';
import { type AppDeps, createApp, livez } from './app.ts';
import { openChainReaders } from './chain-readers.ts';
import { loadSolana, openChains, openSolanaDelegates } from './chains.ts';
import { compose } from './compose.ts';
import { faultsOf } from './faults.ts';
import { type FirstMerchant, firstMerchant } from './first-merchant.ts';
import { createClockCheck, createLifecycle, healthOf, isReady } from './health.ts';
import { proofSigner, staffAccess } from './kept-secret.ts';
import { joinLocalParts, type LocalParts } from './local-parts.ts';
import { catalogOf, describeDevnet, type LocalWorld, NO_LOCAL_WORLD, welcomeMerchant } from './local-world.ts';
import { requirePayablePlatformWallets } from './platform-wallets.ts';
import { settleRouters } from './routers.ts';
import { startWork } from './start-work.ts';
import { warnOfSecrets } from './warnings.ts';

/** Limits of a stop: in all, after the loss of a part, and for the open requests. */
const STOP_MS = 9_000;
const STOP_AFTER_LOSS_MS = 2_000;
const REQUESTS_STOP_MS = 4_000;

export interface RunningService {
  /** `PUBLIC_URL`, without the version segment. */
  readonly url: string;
  readonly deps: HttpDeps;
  readonly store: LedgerStore;
  readonly engine: Engine;
  readonly chains: Chains;
  readonly world: LocalWorld;
  /** The staff token, if this installation made it itself. */
  readonly staffToken: string | null;
  /** The merchant that the first start on local devnets makes; null at later starts. */
  readonly firstMerchant: FirstMerchant | null;
  /** Calls back once when a required part has died. */
  onLost(callback: (why: string) => void): void;
  /** Answers open requests with the known facts, ends all work, saves. Resolves within 10 s. */
  stop(): Promise<void>;
}

/**
 * The composition root: builds every part and passes it on. Throws an error for people if the data folder, a database
 * or a port is unavailable.
 *
 * @param joining the local parts, if the caller has begun to start them before
 */
export async function startService(
  config: Config,
  log: Log,
  joining: Promise<LocalParts | null> = joinLocalParts(config, log),
): Promise<RunningService> {
  const started: (() => Promise<void>)[] = [];
  try {
    return await start(config, log, joining, started);
  } catch (error) {
    for (const stop of started.reverse()) await stop();
    throw error;
  }
}

type Stops = (() => Promise<void>)[];

async function start(
  config: Config,
  log: Log,
  joining: Promise<LocalParts | null>,
  stops: Stops,
): Promise<RunningService> {
  const lifecycle = createLifecycle();
  const infrastructure = await openInfrastructure(config, log, joining, stops);
  const { world, store, uri } = infrastructure;
  const staff = await staffAccess(config);
  const billing = await openBilling(config, log, infrastructure, stops);
  const { composed, workers, meters } = billing;
  const { engine, chains, webhooks, watch } = composed;

  // Jobs and chains start last, because after a crash they may find much work. They stop after requests are answered.
  const working: Stops = [];
  stops.push(() => stopAll(working, log));
  stops.push(() => webhooks.sender.stop(REQUESTS_STOP_MS));

  const stopping = new AbortController();
  stopping.signal.addEventListener('abort', () => {
    engine.interrupt();
    watch.interrupt();
  });
  const listener: { app: RequestListener } = { app: beforeStart };
  const app: RequestListener = (request, response) => listener.app(request, response);
  const http = await startHttpServer({ app, host: config.host, port: config.port, log, stopping });
  stops.push(() => http.stop(REQUESTS_STOP_MS));
  const first = config.localDevnets ? await firstMerchant(composed.deps) : null;
  const url = config.publicUrl ?? listeningUrl(config.host, http.port);
  if (url === null) throw new Error(`HOST is "${config.host}", which no URL can name: set PUBLIC_URL too`);
  const deps = appDeps(config, log, { infrastructure, billing, staff, lifecycle, url });
  listener.app = createApp(deps);
  if (config.role !== 'api') {
    const about = { ...deps, publicUrl: url, meters, stopping: stopping.signal };
    await startWork({ ...about, config, uri, workers, store, composed }, working);
  }
  lifecycle.trigger.served();

  return {
    ...{ url, deps, store, engine, chains, world },
    staffToken: staff?.shown ?? null,
    firstMerchant: first,
    onLost: (callback) =>
      world.onLost((why) => {
        lifecycle.trigger.lost({ why });
        callback(why);
      }),
    stop: () => {
      lifecycle.trigger.stopped();
      const isLost = lifecycle.getSnapshot().context.phase === 'lost';
      return within(isLost ? STOP_AFTER_LOSS_MS : STOP_MS, stopAll(stops, log), undefined);
    },
  };
}

type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/** The database, the local chains, and the clock. */
async function openInfrastructure(config: Config, log: Log, joining: Promise<LocalParts | null>, stops: Stops) {
  const clock = () => new Date(Date.now() + config.faultsClockMs);
  const clockCheck = createClockCheck(clock, log, config.faultsClockMs !== 0);
  warnOfSecrets(config, log);
  const fault = await faultsOf(config);
  await useFastKeccak();
  const loading = loadSolana(config);
  loading.catch(() => undefined);
  const parts = await joining;
  if (parts) stops.push(() => parts.leave());
  const uri = config.mongodbUri ?? parts?.mongodbUri ?? null;
  if (uri === null) throw new Error('No database: set MONGODB_URI');
  const databaseRole = config.role === 'api' ? 'serving' : 'worker';
  const about = { dbName: config.mongodbDb, log, isEmbedded: config.mongodbUri === null, role: databaseRole } as const;
  const opening = openMongoStore({ uri, ...about }).then((opened) => {
    stops.push(() => opened.close());
    return opened;
  });
  const opened = [
    parts ? timed(log, 'contracts and test wallets are ready', parts.openWorld()) : NO_LOCAL_WORLD,
    timed(log, 'the database is open', opening),
  ] as const;
  await Promise.allSettled(opened);
  const [world, store] = await Promise.all(opened);
  return { clock, clockCheck, fault, world, store, uri, databaseRole, loading } as const;
}

type Billing = Awaited<ReturnType<typeof openBilling>>;

/** The engine and the chains, not started yet. */
async function openBilling(config: Config, log: Log, infrastructure: Infrastructure, stops: Stops) {
  const { clock, clockCheck, fault, world, store, loading } = infrastructure;
  const { role, platformWallets: wallets } = config;
  const catalog = catalogOf(world, config.minimumCents);
  const version = packageVersion();
  const { roundTrips } = store;
  const { meters, durations, watching } = createMetrics({
    ...{ roundTrips, playedBy: catalog.playedBy, version, role, clock },
  });
  const solana = await loading;
  const delegates = openSolanaDelegates({ config, world, solana });
  const former = await settleRouters({ store, catalog, clock, isServing: role === 'api' }, config.chains);
  const reached = { config, world, catalog, solana, delegates };
  const chainReaders = openChainReaders({ ...reached, former });
  stops.push(async () => void (await Promise.all(chainReaders.map((reader) => reader.close()))));
  const signer = await proofSigner(config);
  const workers = new Workers({ records: store.records, log });
  const mandates = new MandateReader(store.records);
  const shared = { log, workers, clock, fault, store, mandates };
  const dated = (host: string, date: Date) => clockCheck.note(host, date);
  const composed = compose({
    ...{ ...shared, config, catalog, meters, chainReaders, signer },
    ledger: role === 'api' ? null : store.records,
    isChecked: oneIn(),
    sendsLetters: config.smtpUrl !== null,
    settled: durations.settled,
    retiredKeys: config.retiredSigningKeys,
    rates: ratesOf(config, clock, log),
    platformWallets: {
      evm: wallets.evm ?? world.evm?.platform ?? null,
      solana: wallets.solana ?? world.solana?.platform ?? null,
    },
    openChains: (listener) => openChains({ ...reached, ...shared, listener, asked: durations.asked, dated }),
    welcome: (merchant, local) => welcomeMerchant(world, local, merchant),
  });
  const { chains } = composed;
  if (role !== 'api') await requirePayablePlatformWallets(chains, wallets);
  const audit = () => auditState(store.records);
  const metrics = watching({ store, chains, audit, backupMarker: config.backupMarker });
  return { catalog, workers, composed, meters, metrics, answered: durations.answered };
}

interface Built {
  readonly infrastructure: Infrastructure;
  readonly billing: Billing;
  readonly staff: Awaited<ReturnType<typeof staffAccess>>;
  readonly lifecycle: ReturnType<typeof createLifecycle>;
  readonly url: string;
}

/** What the endpoints use. */
function appDeps(config: Config, log: Log, { infrastructure, billing, staff, lifecycle, url }: Built): AppDeps {
  const { clock, clockCheck, world, store, databaseRole } = infrastructure;
  const { catalog, composed, metrics, answered } = billing;
  const unreadable = unreadableClients();
  const pages = createPages({ paths: pagesPaths(), log });
  const { chains } = composed;
  return {
    ...composed.deps,
    config: {
      publicUrl: url,
      trustProxyHops: config.trustProxyHops,
      walletConnect: config.walletConnect,
      sendsLetters: config.lettersFrom !== null,
    },
    ...{ pages, staff, unreadable, answered, metrics },
    invoicePdf: invoicePdfs({ catalog, pages }),
    metricsTokenHash: config.metricsToken === null ? null : secretHash(config.metricsToken),
    devnet: () => describeDevnet(world, catalog),
    isReady: () => isReady({ lifecycle, store }),
    health: () =>
      healthOf({
        ...{ lifecycle, store, chains, clock, tickMs: config.tickMs, unreadable, clockCheck },
        excess: () => store.excess(databaseRole),
      }),
  };
}

function ratesOf({ ratesUrl }: Config, clock: () => Date, log: Log): Rates {
  return ratesUrl === null ? staticRates(STATIC_RATES) : httpRates({ url: ratesUrl, clock, log });
}

/** Until the service can serve: it is alive, and not ready. */
function beforeStart(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/livez') livez(request, response);
  else response.writeHead(503).end();
}

async function stopAll(stops: (() => Promise<void>)[], log: Log): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) =>
      log.warn({ err: error }, 'a part of the service failed to stop; the shutdown goes on with the next part'),
    );
  }
}
