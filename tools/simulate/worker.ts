import { checkRedemptions } from '../../src/billing/coupons/redemptions.ts';
import { ExpiredReservations } from '../../src/billing/offers/expired-reservations.ts';
import { STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import type { Catalog } from '../../src/chains/catalog.ts';
import { MandateReader } from '../../src/chains/mandate-reader.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import type { DomainDeps } from '../../src/http/deps.ts';
import type { Log } from '../../src/observability/log.ts';
import { compose, type Parts } from '../../src/service/compose.ts';
import { jobWork } from '../../src/service/work.ts';
import type { DestinationWallets } from '../../src/store/collections.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import { Life, type Surroundings } from './life.ts';
import { type StorePortDeps, storePort } from './ports/store.ts';
import type { Receiver } from './receiver.ts';
import type { SimulatedChain } from './simulated-chain.ts';

/** The parts that all workers of a run share: the store, and the world outside. */
export interface Installation extends Surroundings {
  readonly store: LedgerStore;
  readonly catalog: Catalog;
  readonly chains: readonly SimulatedChain[];
  readonly receiver: Receiver;
  /** The wallets of the platform's shares. */
  readonly platformWallets: DestinationWallets;
  readonly onCommitted: StorePortDeps['onCommitted'];
  /** The largest error of a worker's clock in either direction. */
  readonly skewMs: number;
}

/** One process of the service, without HTTP. */
export interface Worker {
  /** What the calls of merchants and payers need. */
  readonly billing: DomainDeps;
  readonly engine: Engine;
  readonly life: Life;
  /** Settles at the worker's death. */
  readonly death: Promise<void>;
  /** True while the worker has work of its own under way. */
  isBusy(): boolean;
}

const TICK_MS = 2_500;
const RESERVATIONS_MS = 60_000;
const NO_METERS: Parts['meters'] = { taken: () => undefined, delivery: () => undefined, quarantined: () => undefined };

/** Starts a worker: the loops of its chains, and the recurring jobs, each at its own pace. */
export function startWorker(name: string, around: Installation): Worker {
  const { time, mishaps, catalog, receiver } = around;
  let died: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const life = new Life(name, around, () => died());
  const log = logOf(around, name);
  const store = storePort({ store: around.store, life, time, mishaps, log, onCommitted: around.onCommitted });
  const aheadMs = around.skewMs === 0 ? 0 : around.pace.integer(-around.skewMs, around.skewMs);
  const clock = () => new Date(time.now + aheadMs);
  const fault = (point: string) => life.point(point);
  const {
    engine,
    deps: billing,
    chains,
    watcher,
    webhooks,
  } = compose({
    config: {
      role: 'all',
      writeVersions: {},
      platformFeeBps: FEE_BPS,
      encryption: null,
      webhookAllowLoopback: false,
    },
    log,
    workers: new Workers({ records: store.records, holder: life.name }),
    clock,
    fault,
    store,
    ledger: store.records,
    mandates: new MandateReader(store.records),
    catalog,
    meters: NO_METERS,
    settled: () => undefined,
    chainReaders: [],
    signer: null,
    retiredKeys: [],
    platformWallets: around.platformWallets,
    rates: staticRates(STATIC_RATES),
    openChains: (listener) =>
      around.chains.map((chain) => chain.open({ life, store, clock, fault, log, listener, mishaps })),
    welcome: async () => undefined,
    receivers: { poster: receiver.poster(life), resolve: async () => [PUBLIC_ADDRESS] },
  });
  for (const chain of chains.all()) void chain.start();
  const nothing = async () => undefined;
  const reservations = new ExpiredReservations(store);
  const heads = () => store.actors.endOpenPayments(clock());
  const redemptions = () => checkRedemptions({ store, clock });
  const others = { audit: nothing, upcasts: nothing, moments: nothing, heads };
  const work = jobWork({ engine, webhooks, watcher, reservations, redemptions, ...others });
  const jobs = [
    { everyMs: TICK_MS, run: () => work.dispatchDue(nothing) },
    { everyMs: TICK_MS, run: () => work.relay(nothing) },
    { everyMs: TICK_MS, run: () => work.check(nothing) },
    { everyMs: RESERVATIONS_MS, run: () => work.reservations() },
    { everyMs: RESERVATIONS_MS, run: () => work.heads() },
  ];
  for (const { everyMs, run } of jobs) void every(around, life, log, everyMs, run);
  return { life, death, billing, engine, isBusy: () => engine.isBusy() || webhooks.isBusy() };
}

/** `PLATFORM_FEE_BPS` of every run. */
const FEE_BPS = 100;

/** The address of every receiver's name. No request goes there. */
const PUBLIC_ADDRESS = '93.184.216.34';

/** Repeats one job while its process lives. The next tick repeats failed work. */
async function every(
  { time, pace }: Installation,
  life: Life,
  log: Log,
  everyMs: number,
  run: () => Promise<unknown>,
): Promise<void> {
  while (!life.isOver) {
    await time.pause(pace.integer(Math.floor(everyMs / 2), everyMs));
    if (life.isOver) return;
    try {
      await run();
    } catch (error) {
      log.warn({ err: error }, 'a job failed; the next tick tries again');
    }
  }
}

/** Warnings and errors go to the trace. */
function logOf({ trace }: Surroundings, name: string): Log {
  const say = (fields: object, message: string) => trace.say(name, `log: ${message} ${detail(fields)}`);
  return { debug: () => undefined, info: () => undefined, warn: say, error: say };
}

function detail(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]: [string, unknown]) => `${name}=${messageOf(value)}`)
    .join(' ');
}
