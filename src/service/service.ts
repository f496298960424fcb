import type { RequestListener } from 'node:http';
import { MongoClient } from 'mongodb';
import { MACHINES } from '../../machines/versions.ts';
import { createAdministration } from '../billing/administration.ts';
import { AllowanceLooker } from '../billing/allowances/looker.ts';
import { createSetAside } from '../billing/allowances/set-aside.ts';
import { auditNews } from '../billing/audit/recurring.ts';
import { auditState } from '../billing/audit/state.ts';
import { createAuthorizations } from '../billing/authorizations.ts';
import { createChargeListener } from '../billing/charge-listener.ts';
import { lookAtSessions } from '../billing/checkout/pay.ts';
import { createCheckout } from '../billing/checkout.ts';
import { createCustomers } from '../billing/customers.ts';
import { wakeReinstated } from '../billing/deferred.ts';
import { DepositLooker } from '../billing/deposits/looker.ts';
import { startRefunds, tellRefund } from '../billing/deposits/refund-facts.ts';
import type { BillingDeps } from '../billing/deps.ts';
import { billingDomain } from '../billing/domain.ts';
import { createEvents, newestEvents } from '../billing/events.ts';
import { ExtraEvents } from '../billing/extra-events.ts';
import { createMerchants } from '../billing/merchants.ts';
import { createOffers } from '../billing/offers.ts';
import { createPayments } from '../billing/payments.ts';
import { createProofs } from '../billing/proof/proofs.ts';
import type { ProofSigner } from '../billing/proof/signer.ts';
import { httpRates, type Rates, STATIC_RATES, staticRates } from '../billing/rates.ts';
import type { ResourceDeps } from '../billing/resource.ts';
import { StaleUnits } from '../billing/stale-units.ts';
import { createSubscriptions } from '../billing/subscriptions.ts';
import { createWallets } from '../billing/wallets.ts';
import { buildCatalog, type Catalog } from '../chains/catalog.ts';
import type { Chain, Chains } from '../chains/port.ts';
import { createChains } from '../chains/registry.ts';
import type { Witness } from '../chains/witness.ts';
import type { Config } from '../config.ts';
import type { Devnet } from '../devnet/join.ts';
import { Engine } from '../engine/engine.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { Meters } from '../engine/meters.ts';
import type { Log } from '../engine/types.ts';
import { createApp } from '../http/app.ts';
import type { Services } from '../http/deps.ts';
import { startHttpServer } from '../http/server.ts';
import { type Clock, type JobWork, recurringJobs, startClock } from '../jobs/clock.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createPages } from '../pages/pages.ts';
import { pagesPlace } from '../pages/place.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { reconnectWhenStuck } from '../store/mongo/heartbeats.ts';
import { openMongoStore } from '../store/mongo/store.ts';
import type { Store } from '../store/port.ts';
import { packageVersion } from '../version.ts';
import { EventWatch } from '../webhooks/event-watch.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { loadSolana, openChains } from './chains.ts';
import { faultsOf } from './faults.ts';
import { healthOf } from './health.ts';
import { createLifecycle } from './lifecycle.ts';
import { joinLocalParts } from './local-parts.ts';
import { describeDevnet, type LocalWorld, openLocalWorld, welcomeMerchant } from './local-world.ts';
import { proofSigner } from './signing-key.ts';
import { staffAccess } from './staff-token.ts';
import { openWitnesses } from './witnesses.ts';
import { jobWork } from './work.ts';

/** How long a stop may take in all, how much of that requests under way may, and how long one after a loss may take. */
const STOP_MS = 9_000;
const STOP_AFTER_LOSS_MS = 2_000;
const REQUESTS_STOP_MS = 4_000;

export interface RunningService {
  /** `PUBLIC_URL`, without the version segment. */
  readonly url: string;
  readonly services: Services;
  readonly store: Store;
  readonly engine: Engine;
  readonly world: LocalWorld;
  /** The staff token, where this installation made it itself. */
  readonly staffToken: string | null;
  /** Calls back once if a part that the service cannot be without has died. */
  onLost(callback: (why: string) => void): void;
  /** Answers what is under way with what is known, ends what runs, saves. Resolves within 10 s. */
  stop(): Promise<void>;
}

/**
 * The composition root: everything is built here and handed down. Throws an error for people when something cannot be had:
 * the data folder, a database, a port.
 *
 * @param joining what runs on this machine for the service, where somebody has begun to start it before
 */
export async function startService(
  config: Config,
  log: Log,
  joining: Promise<Devnet | null> = joinLocalParts(config, log),
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
  joining: Promise<Devnet | null>,
  stops: (() => Promise<void>)[],
): Promise<RunningService> {
  const clock = () => new Date(Date.now() + config.faultsClockMs);
  const lifecycle = createLifecycle();
  const fault = faultsOf(config);
  const loading = loadSolana(config);
  loading.catch(() => undefined);
  const devnet = await joining;
  if (devnet) stops.push(() => devnet.leave({ graceful: true }));
  const uri = config.mongodbUri ?? devnet?.mongo?.uri;
  if (uri === undefined) throw new Error('No database: set MONGODB_URI');
  const opening = openMongoStore({ uri, dbName: config.mongodbDb, log }).then((opened) => {
    stops.push(() => opened.close());
    return opened;
  });
  const opened = [openLocalWorld(devnet), opening] as const;
  await Promise.allSettled(opened);
  const [world, store] = await Promise.all(opened);
  const staff = await staffAccess(config);

  const catalog = buildCatalog({
    ...(world.evm ? { localEvm: { tokens: world.evm.tokens } } : {}),
    ...(world.solana ? { localSolana: { tokens: world.solana.tokens } } : {}),
  });
  const { role } = config;
  const metrics = createMetrics({ roundTrips: store.roundTrips, version: packageVersion(), role, clock });
  const { meters } = metrics;
  const solana = await loading;
  const witnesses = openWitnesses({ config, world, catalog, solana });
  stops.push(async () => void (await Promise.all(witnesses.map((witness) => witness.close()))));
  const signer = await proofSigner(config);
  const parts: Parts = { config, log, clock, fault, world, store, catalog, meters, solana, witnesses, signer };
  const { engine, chains, looker, services, webhooks, watch } = compose(parts);
  const { scrape } = metrics.watching({ store, chains, audit: () => auditState(store.records) });

  if (config.role !== 'api') {
    for (const chain of chains.all()) {
      await chain.start();
      stops.push(() => chain.stop());
    }
    const audit: JobWork['audit'] = (touch) => auditNews({ store, catalog, witnesses, clock, log }, touch);
    const jobs = await startJobs(config, uri, { engine, looker, store, log, audit });
    stops.push(jobs.stop);
  }
  stops.push(() => webhooks.sender.stop(REQUESTS_STOP_MS));

  const stopping = new AbortController();
  stopping.signal.addEventListener('abort', () => {
    engine.interrupt();
    watch.interrupt();
  });
  const listener: { app: RequestListener } = { app: (_request, response) => response.writeHead(503).end() };
  const http = await startHttpServer({
    app: (request, response) => listener.app(request, response),
    host: config.host,
    port: config.port,
    log,
    stopping,
  });
  stops.push(() => http.stop(REQUESTS_STOP_MS));
  const url = config.publicUrl ?? `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${http.port}`;
  listener.app = createApp({
    store,
    clock,
    log,
    catalog,
    chains,
    services,
    config: { publicUrl: url, trustProxyHops: config.trustProxyHops },
    pages: createPages({ place: pagesPlace(), log }),
    staff,
    devnet: () => describeDevnet(world, catalog),
    health: () => healthOf({ lifecycle, store, chains, clock, tickMs: config.tickMs }),
    metrics: scrape,
  });
  lifecycle.trigger.served();

  return {
    url,
    services,
    store,
    engine,
    world,
    staffToken: staff?.shown ?? null,
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

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly clock: () => Date;
  readonly fault: FaultHook;
  readonly world: LocalWorld;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly meters: Meters;
  readonly solana: Awaited<ReturnType<typeof loadSolana>>;
  readonly witnesses: readonly Witness[];
  readonly signer: ProofSigner | null;
}

/** The engine with everything that it carries out, built around it. */
function compose(parts: Parts) {
  const built: { around?: ReturnType<typeof composeAround> } = {};
  const { store, clock, log, fault, config, meters } = parts;
  const { role, writeVersions: writes } = config;
  const deps = { store, clock, log, fault, machines: MACHINES, writes, wakes: role !== 'api', meters };
  const engine = new Engine(deps, (made) => {
    built.around = composeAround(parts, made);
    return built.around.domain;
  });
  if (!built.around) throw new Error('the engine was built without its domain');
  return { engine, ...built.around };
}

function composeAround(parts: Parts, engine: Engine) {
  const { config, log, clock, fault, world, store, catalog, solana } = parts;
  const listener = createChargeListener({
    engine,
    walletsChanged: (chainId, changed) => looker.walletsChanged(chainId, changed),
    setAside: (charges) => setAside(charges),
    refunds: {
      start: (refunds) => startRefunds(billing, refunds),
      tell: (fact) => tellRefund(billing, fact),
    },
  });
  const chains = createChains(openChains({ config, world, catalog, store, listener, solana, clock, log, fault }));
  const onCommitted: ResourceDeps['onCommitted'] = (collection, doc) => engine.resourceCommitted(collection, doc);
  const resources = { store, clock, catalog, chains, onCommitted };
  const wallets = createWallets(resources);
  const extraEvents = new ExtraEvents({ records: store.records, clock });
  const watch = new EventWatch({ newest: (list) => newestEvents(store, list) });
  const webhooks = createWebhooks({
    store,
    engine,
    clock,
    log,
    fault,
    allowLoopback: config.webhookAllowLoopback,
    onSettingsChanged: (merchant) => extraEvents.note(merchant),
    onLogged: (events) => watch.logged(events),
  });
  const billing: BillingDeps = {
    store,
    engine,
    catalog,
    chains,
    clock,
    log,
    payoutDestination: wallets.payoutDestination,
    platformWallets: {
      evm: config.platformWallets.evm ?? world.evm?.platform ?? null,
      solana: config.platformWallets.solana ?? world.solana?.platform ?? null,
    },
  };
  const looker = new AllowanceLooker({
    ...billing,
    lookAtSessions: (ids) => lookAtSessions(billing, ids),
    lookAtDeposits: (ids) => deposits.look(ids),
  });
  const deposits = new DepositLooker(billing);
  const customers = createCustomers({ ...resources, settled: (id) => engine.settled(id) });
  const authorizations = createAuthorizations({ store, clock });
  const setAside = createSetAside(billing);
  const services: Services = {
    merchants: createMerchants({
      records: store.records,
      clock,
      feeBps: config.platformFeeBps,
      onCreated: (merchant) => welcomeMerchant(world, localChains(catalog, chains), merchant),
    }),
    offers: createOffers({ ...resources, rates: ratesOf(config, clock, log) }),
    wallets,
    customers,
    subscriptions: createSubscriptions({ ...billing, looker, authorizations }),
    payments: createPayments({ ...billing, deposits }),
    proofs: createProofs(parts),
    sandbox: createSandbox({ ...billing, looker }),
    webhooks: webhooks.endpoints,
    events: createEvents({ store, engine, watch }),
    administration: createAdministration({
      ...billing,
      wallets,
      onReinstated: (merchantId) => void wakeReinstated(billing, merchantId),
    }),
    checkout: createCheckout({ ...billing, looker, deposits, authorizations, customers }),
  };
  const domain = billingDomain(billing, looker, webhooks, extraEvents, deposits);
  return { domain, chains, looker, services, webhooks, watch };
}

function localChains(catalog: Catalog, chains: Chains): Chain[] {
  return catalog.chains.flatMap(({ local, chainId }) => (local ? (chains.get(chainId) ?? []) : []));
}

function ratesOf({ ratesUrl }: Config, clock: () => Date, log: Log): Rates {
  return ratesUrl === null ? staticRates(STATIC_RATES) : httpRates({ url: ratesUrl, clock, log });
}

async function startJobs(
  config: Config,
  uri: string,
  {
    engine,
    looker,
    store,
    log,
    audit,
  }: { engine: Engine; looker: AllowanceLooker; store: Store; log: Log; audit: JobWork['audit'] },
) {
  const client = await MongoClient.connect(uri, { retryWrites: false, maxPoolSize: 8 });
  const unwatch = reconnectWhenStuck(client, log);
  const jobs = recurringJobs(jobWork(engine, looker, new StaleUnits(store), audit), config.tickMs);
  const running: Clock = await startClock(client.db(config.mongodbDb), jobs, config.tickMs, log);
  return {
    stop: async () => {
      await running.stop(REQUESTS_STOP_MS);
      unwatch();
      await client.close();
    },
  };
}

async function stopAll(stops: (() => Promise<void>)[], log: Log): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) => log.warn({ err: error }, 'a part did not stop as it should'));
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
