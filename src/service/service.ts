import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MACHINES } from '../../machines/versions.ts';
import { auditNewBlocks } from '../billing/audit/recurring.ts';
import { auditState } from '../billing/audit/state.ts';
import { checkRedemptions } from '../billing/coupons/redemptions.ts';
import { ExpiredReservations } from '../billing/offers/expired-reservations.ts';
import { httpRates, type Rates, STATIC_RATES, staticRates } from '../billing/offers/rates.ts';
import { useFastKeccak } from '../chains/evm/keccak.ts';
import { MandateReader } from '../chains/mandate-reader.ts';
import type { Chains } from '../chains/port.ts';
import type { Config } from '../config/config.ts';
import { knownKeysOf } from '../config/known-keys.ts';
import type { Engine } from '../engine/engine.ts';
import { oneIn } from '../engine/step.ts';
import { sweepUpcasts } from '../engine/upcast-sweep.ts';
import type { HttpDeps } from '../http/deps.ts';
import { listeningUrl } from '../http/listening-url.ts';
import { startHttpServer } from '../http/server.ts';
import { unreadableClients } from '../http/unreadable-clients.ts';
import { invoicePdfs } from '../invoices/invoice-pdf.ts';
import { type Clock, type JobWork, recurringJobs, startClock, tick } from '../jobs/clock.ts';
import { type LettersDeps, sendDueLetters } from '../letters/letters.ts';
import { smtpMailer } from '../letters/smtp.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { secretHash } from '../model/secrets.ts';
import { type Log, timed } from '../observability/log.ts';
import { packageVersion } from '../package/root.ts';
import { createPages, pagesPaths } from '../pages/pages.ts';
import { SightedClient } from '../store/mongo/client.ts';
import { openMongoStore } from '../store/mongo/store.ts';
import type { LedgerStore } from '../store/port.ts';
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
import { endMomentsAhead } from './moments.ts';
import { requirePayablePlatformWallets } from './platform-wallets.ts';
import { settleRouters } from './routers.ts';
import { jobWork } from './work.ts';

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

async function start(
  config: Config,
  log: Log,
  joining: Promise<LocalParts | null>,
  stops: (() => Promise<void>)[],
): Promise<RunningService> {
  const clock = () => new Date(Date.now() + config.faultsClockMs);
  const clockCheck = createClockCheck(clock, log, config.faultsClockMs !== 0);
  const lifecycle = createLifecycle();
  warnOfUnneededSecrets(config, log);
  warnOfPlainSecrets(config, log);
  warnOfKnownKeys(config, log);
  const fault = await faultsOf(config);
  await useFastKeccak();
  const loading = loadSolana(config);
  loading.catch(() => undefined);
  const parts = await joining;
  if (parts) stops.push(() => parts.leave());
  const uri = config.mongodbUri ?? parts?.mongodbUri ?? null;
  if (uri === null) throw new Error('No database: set MONGODB_URI');
  const isEmbedded = config.mongodbUri === null;
  const databaseRole = config.role === 'api' ? 'serving' : 'worker';
  const about = { dbName: config.mongodbDb, log, isEmbedded, role: databaseRole } as const;
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
  const staff = await staffAccess(config);

  const catalog = catalogOf(world, config.minimumCents);
  const { role } = config;
  const { roundTrips } = store;
  const { playedBy } = catalog;
  const metrics = createMetrics({ roundTrips, playedBy, version: packageVersion(), role, clock });
  const { meters, durations } = metrics;
  const solana = await loading;
  const delegates = openSolanaDelegates({ config, world, solana });
  const former = await settleRouters({ store, catalog, clock, isServing: role === 'api' }, config.chains);
  const chainReaders = openChainReaders({ config, world, catalog, former, solana, delegates });
  stops.push(async () => void (await Promise.all(chainReaders.map((reader) => reader.close()))));
  const signer = await proofSigner(config);
  const workers = new Workers({ records: store.records, log });
  const mandates = new MandateReader(store.records);
  const {
    engine,
    deps: composed,
    chains,
    watcher,
    webhooks,
    watch,
    requests,
  } = compose({
    config,
    log,
    workers,
    clock,
    fault,
    store,
    ledger: role === 'api' ? null : store.records,
    mandates,
    catalog,
    meters,
    isChecked: oneIn(),
    sendsLetters: config.smtpUrl !== null,
    settled: durations.settled,
    chainReaders,
    signer,
    retiredKeys: config.retiredSigningKeys,
    rates: ratesOf(config, clock, log),
    platformWallets: {
      evm: config.platformWallets.evm ?? world.evm?.platform ?? null,
      solana: config.platformWallets.solana ?? world.solana?.platform ?? null,
    },
    openChains: (listener) =>
      openChains({
        config,
        workers,
        world,
        catalog,
        store,
        mandates,
        listener,
        solana,
        delegates,
        clock,
        log,
        fault,
        asked: durations.asked,
        dated: (host, date) => clockCheck.note(host, date),
      }),
    welcome: (merchant, local) => welcomeMerchant(world, local, merchant),
  });
  if (role !== 'api') await requirePayablePlatformWallets(chains, config.platformWallets);
  const { scrape } = metrics.watching({
    store,
    chains,
    audit: () => auditState(store.records),
    backupMarker: config.backupMarker,
  });

  // Jobs and chains start last, because after a crash they may find much work. They stop after requests are answered.
  const working: (() => Promise<void>)[] = [];
  stops.push(() => stopAll(working, log));
  stops.push(() => webhooks.sender.stop(REQUESTS_STOP_MS));

  const stopping = new AbortController();
  stopping.signal.addEventListener('abort', () => {
    engine.interrupt();
    watch.interrupt();
  });
  const listener: { app: RequestListener } = { app: beforeStart };
  const http = await startHttpServer({
    app: (request, response) => listener.app(request, response),
    host: config.host,
    port: config.port,
    log,
    stopping,
  });
  stops.push(() => http.stop(REQUESTS_STOP_MS));
  const first = config.localDevnets ? await firstMerchant(composed) : null;
  const url = config.publicUrl ?? listeningUrl(config.host, http.port);
  if (url === null) throw new Error(`HOST is "${config.host}", which no URL can name: set PUBLIC_URL too`);
  const unreadable = unreadableClients();
  const pages = createPages({ paths: pagesPaths(), log });
  const deps: AppDeps = {
    ...composed,
    config: {
      publicUrl: url,
      trustProxyHops: config.trustProxyHops,
      walletConnect: config.walletConnect,
      sendsLetters: config.lettersFrom !== null,
    },
    pages,
    invoicePdf: invoicePdfs({ catalog, pages }),
    staff,
    metricsTokenHash: config.metricsToken === null ? null : secretHash(config.metricsToken),
    devnet: () => describeDevnet(world, catalog),
    unreadable,
    answered: durations.answered,
    isReady: () => isReady({ lifecycle, store }),
    health: () =>
      healthOf({
        ...{ lifecycle, store, chains, clock, tickMs: config.tickMs, unreadable, clockCheck },
        excess: () => store.excess(databaseRole),
      }),
    metrics: scrape,
  };
  listener.app = createApp(deps);
  if (role !== 'api') {
    const audit: JobWork['audit'] = (touch) => auditNewBlocks({ store, catalog, chainReaders, clock, log }, touch);
    const upcasts: JobWork['upcasts'] = () => sweepUpcasts({ engine, store, machines: MACHINES, clock, log });
    const chainIds = chains.all().map((chain) => chain.chainId);
    const moments: JobWork['moments'] = () => endMomentsAhead({ store, engine, clock, chainIds });
    const reservations = new ExpiredReservations(store);
    const redemptions = () => checkRedemptions({ store, clock });
    const heads: JobWork['heads'] = () => store.actors.endOpenPayments(clock());
    const letters = lettersJob(config, { ...deps, publicUrl: url, meters, stopping: stopping.signal });
    const work = jobWork({
      engine,
      webhooks,
      watcher,
      reservations,
      redemptions,
      audit,
      upcasts,
      moments,
      heads,
      ...letters,
    });
    working.push(...chains.all().map((chain) => () => chain.stop()));
    // A process that does all seldom has others that only serve beside it.
    requests.start(role === 'all' ? 250 : undefined);
    working.push(() => requests.stop());
    const jobs = await startJobs(config, uri, work, log);
    working.push(jobs.stop);
    await workers.start((called) => tick({ name: 'share', run: () => work.share(called) }, log));
    // First of all, so that others take over while the work under way ends.
    working.push(() => workers.stop());
    await timed(log, 'the chains are watched', startChains(chains));
  }
  lifecycle.trigger.served();

  return {
    url,
    deps,
    store,
    engine,
    chains,
    world,
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
      return within(isLost ? STOP_AFTER_LOSS_MS : STOP_MS, stopAll(stops, log));
    },
  };
}

/** None without a mail server. An attempt may take longer than a lock of the job lasts. */
function lettersJob({ smtpUrl, lettersFrom: from }: Config, deps: Omit<LettersDeps, 'mailer' | 'from'>) {
  if (smtpUrl === null || from === null) return {};
  const mailer = smtpMailer({ url: smtpUrl, from });
  const letters: JobWork['letters'] = async (touch) => {
    const touching = setInterval(() => void touch().catch(() => undefined), 1_000);
    await sendDueLetters({ ...deps, mailer, from }).finally(() => clearInterval(touching));
  };
  return { letters };
}

function ratesOf({ ratesUrl }: Config, clock: () => Date, log: Log): Rates {
  return ratesUrl === null ? staticRates(STATIC_RATES) : httpRates({ url: ratesUrl, clock, log });
}

/** Until the service can serve: it is alive, and not ready. */
function beforeStart(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/livez') livez(request, response);
  else response.writeHead(503).end();
}

function warnOfPlainSecrets({ chains, encryption }: Config, log: Log): void {
  if (encryption !== null || chains.every(({ testnet }) => testnet)) return;
  log.warn(
    {},
    'without ENCRYPTION_KEY, signing secrets of webhooks are stored as they are, and encrypted ones cannot be opened: set it, then run migrate',
  );
}

function warnOfKnownKeys(config: Config, log: Log): void {
  if (config.chains.every(({ testnet }) => testnet)) return;
  for (const address of knownKeysOf(config)) {
    log.warn({ address }, `everybody has the key of ${address}, to take its money or to charge payers: use your own`);
  }
}

function warnOfUnneededSecrets({ unneededSecrets }: Config, log: Log): void {
  for (const variable of unneededSecrets) {
    log.warn(
      { variable },
      `${variable} is a secret that can spend, and this process only serves requests: remove it here, and set the public addresses instead`,
    );
  }
}

async function startJobs(config: Config, uri: string, work: JobWork, log: Log) {
  const sighted = new SightedClient(uri, { maxPoolSize: 8 }, { connectTimeoutMS: 5_000 }, log);
  const client = await sighted.client.connect();
  const jobs = recurringJobs(work, config.tickMs);
  const running: Clock = await startClock({ db: client.db(config.mongodbDb), jobs, tickMs: config.tickMs, log });
  return {
    stop: async () => {
      await running.stop(REQUESTS_STOP_MS);
      await sighted.close();
    },
  };
}

async function startChains(chains: Chains): Promise<void> {
  for (const chain of chains.all()) await chain.start();
}

async function stopAll(stops: (() => Promise<void>)[], log: Log): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) =>
      log.warn({ err: error }, 'a part of the service failed to stop; the shutdown goes on with the next part'),
    );
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
