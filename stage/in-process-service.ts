import { silentLog } from '../scripts/lib/silent-log.ts';
import { STATIC_RATES, staticRates } from '../src/billing/offers/rates.ts';
import { createProofSigner } from '../src/billing/proof/signer.ts';
import type { Catalog } from '../src/chains/catalog.ts';
import { MandateReader } from '../src/chains/mandate-reader.ts';
import type { Chain, ChargeListener } from '../src/chains/port.ts';
import { noFaults } from '../src/engine/faults.ts';
import { compose, type Parts } from '../src/service/compose.ts';
import { LogActors } from '../src/store/actors/log-actors.ts';
import type { EventDoc } from '../src/store/collections.ts';
import type { OutboxSource } from '../src/store/documents.ts';
import { openMemoryStore } from '../src/store/memory/store.ts';
import type { LedgerStore } from '../src/store/port.ts';
import { restricted } from '../src/store/roles.ts';
import { Workers } from '../src/store/workers.ts';
import type { Poster } from '../src/webhooks/http-poster.ts';
import { localChain, reportCharges, scriptedCatalog, withoutRouter } from './scripted-chain.ts';
import { shardedRecords } from './sharded-records.ts';

export interface InProcessOptions
  extends Partial<Pick<Parts, 'ledger' | 'clock' | 'log' | 'catalog' | 'fault' | 'rates' | 'platformWallets'>>,
    Partial<Pick<Parts, 'chainReaders' | 'retiredKeys' | 'receivers' | 'workers' | 'sendsLetters'>>,
    Partial<Pick<Parts['config'], 'encryption'>> {
  readonly store?: LedgerStore;
  /** The chains that this process reaches; by default the local EVM chain, and Base Sepolia without a router. */
  readonly chains?: readonly Chain[] | ((listener: ChargeListener) => Chain[]);
  /** True: webhooks may go to receivers on this machine. By default they reach nobody, unless `receivers` is given. */
  readonly reachesLoopback?: boolean;
}

type Composed = ReturnType<typeof compose>;

/** One process of the service, without HTTP and jobs: what it does is what its caller dispatches. */
export interface InProcessService extends Omit<Composed, 'domain'> {
  readonly store: LedgerStore;
  readonly catalog: Catalog;
  /** The stored events of a resource in the order of their numbers, after the work under way. */
  eventsOf(resourceId: string): Promise<EventDoc[]>;
  /** Resolves when no effect and no delivery is under way. */
  quiet(): Promise<void>;
  /** Takes over old effects of other processes, as the relay job does. */
  relay(from: OutboxSource): Promise<void>;
}

/** Composes a service as `startService` does, on a memory store unless another is given. */
export function openInProcess(options: InProcessOptions = {}): InProcessService {
  const { clock = () => new Date(), log = silentLog, catalog = scriptedCatalog(), chainReaders = [] } = options;
  const { store = openMemoryStore({ now: clock }), chains = [localChain(), withoutRouter()] } = options;
  const reached = options.store ?? onShards(store, clock);
  const { reachesLoopback = false, ledger = reached.records } = options;
  const serving = restricted(reached.records, 'serving');
  const own = ledger === null ? { ...reached, records: serving, actors: new LogActors(serving, log) } : reached;
  const { domain: _, ...composed } = compose({
    config: {
      role: 'api',
      writeVersions: {},
      platformFeeBps: 100,
      encryption: options.encryption ?? null,
      webhookAllowLoopback: reachesLoopback,
    },
    log,
    workers: options.workers ?? new Workers({ records: store.records }),
    clock,
    elapsed: () => clock().getTime(),
    fault: options.fault ?? noFaults,
    store: own,
    ledger,
    mandates: new MandateReader(reached.records),
    catalog,
    meters: { taken: () => undefined, delivery: () => undefined, quarantined: () => undefined },
    settled: () => undefined,
    chainReaders,
    signer: createProofSigner(Buffer.alloc(32, 7)),
    retiredKeys: options.retiredKeys ?? [],
    sendsLetters: options.sendsLetters ?? false,
    platformWallets: options.platformWallets ?? { evm: null, solana: null },
    rates: options.rates ?? staticRates(STATIC_RATES),
    openChains: (listener) => {
      const opened = typeof chains === 'function' ? chains(listener) : [...chains];
      reportCharges(opened, { records: reached.records, listener, clock, log, quiet: () => quiet() });
      return opened;
    },
    welcome: async () => undefined,
    receivers:
      options.receivers ?? (reachesLoopback ? {} : { poster: NO_POSTER, resolve: async () => [PUBLIC_ADDRESS] }),
  });
  const { engine, webhooks } = composed;
  const quiet = async (): Promise<void> => {
    do {
      await webhooks.sender.untilIdle();
      await new Promise((resolve) => setImmediate(resolve));
    } while (engine.isBusy() || webhooks.isBusy());
  };
  return {
    ...composed,
    store,
    catalog,
    quiet,
    eventsOf: async (resourceId) => {
      await quiet();
      return store.records.find('events', { where: { resourceId }, sort: [['sequence', 1]], limit: 1_000 });
    },
    relay: async (from) => {
      while ((await engine.relayLeftBehind(from)) > 0);
      await quiet();
    },
  };
}

/** The service must not ask more shards of a cluster than it needs. */
function onShards(store: LedgerStore, clock: () => Date): LedgerStore {
  const records = shardedRecords(store.records);
  return { ...store, records, actors: new LogActors(records, silentLog, clock) };
}

const PUBLIC_ADDRESS = '93.184.216.34';

/** Reaches nobody. */
const NO_POSTER: Poster = {
  post: async () => ({ status: null, error: 'Nobody is reached', body: null }),
  close: async () => {},
};
