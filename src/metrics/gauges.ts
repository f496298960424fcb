import { Gauge, type Registry } from 'prom-client';
import type { ChainHealth, Chains } from '../chains/port.ts';
import { type ActorKind, EVERY_PARTITION } from '../store/documents.ts';
import type { OutboxCollection, Store, Where } from '../store/port.ts';

export interface GaugeDeps {
  readonly store: Store;
  readonly chains: Chains;
  /** What the recurring audit has found so far; `at` null: not all chains have been audited. */
  readonly audit: () => Promise<{ readonly at: Date | null; readonly differences: number }>;
  readonly clock: () => Date;
}

/** No count goes further: a scrape costs the database the same in a disaster as on a quiet day. */
const COUNTED_MOST = 10_000;
const UP_TO = `counted up to ${COUNTED_MOST}`;

const KINDS: readonly ActorKind[] = ['subscription', 'payment', 'delivery'];
const OUTBOXES: readonly OutboxCollection[] = [...KINDS, 'offers', 'customers', 'wallets'];
const PARTITION: Where[string] = { in: EVERY_PARTITION };
const CHARGES_OPEN = ['waiting', 'started', 'sent', 'mined'] as const;
const TRANSACTIONS_OPEN = ['signed', 'mined', 'final'] as const;
const PERMITS_OPEN = ['waiting', 'started', 'sent'] as const;
const EVER = new Date(0);

/**
 * Gauges of what the database and the chains say at the moment of a scrape: the same in every process on one database, but
 * for what a process knows of its chains. `read` brings them up to date; each count is one of a declared index.
 */
export function gaugesIn(registry: Registry, deps: GaugeDeps): { read(): Promise<void> } {
  const due = dueGauges(registry, deps);
  const outboxes = outboxGauges(registry, deps);
  const quarantined = quarantineGauge(registry, deps);
  const people = peopleGauges(registry, deps);
  const chains = chainGauges(registry, deps);
  const audit = auditGauges(registry, deps);
  return {
    read: async () => {
      await Promise.all([due(), outboxes(), quarantined(), people(), chains(), audit()]);
    },
  };
}

type Read = () => Promise<void>;

function gauge<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[]): Gauge<L> {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}

function dueGauges(registry: Registry, { store, clock }: GaugeDeps): Read {
  const due = gauge(registry, 'tideline_due_actors', `Actors whose time to be woken has come, ${UP_TO}`, ['kind']);
  const lag = gauge(registry, 'tideline_due_lag_seconds', 'How long the longest due has been waiting', ['kind']);
  const ofKind = async (kind: ActorKind): Promise<void> => {
    const now = clock();
    const where = { partition: PARTITION, wakeAt: { lte: now }, quarantine: null };
    const [count, earliest] = await Promise.all([
      store.actors.count(kind, where, COUNTED_MOST),
      store.actors.earliestWake(kind),
    ]);
    due.set({ kind }, count);
    lag.set({ kind }, earliest === null ? 0 : Math.max(0, now.getTime() - earliest.getTime()) / 1_000);
  };
  return async () => {
    await Promise.all(KINDS.map(ofKind));
  };
}

function outboxGauges(registry: Registry, { store, clock }: GaugeDeps): Read {
  const labels = ['collection'] as const;
  const depth = gauge(
    registry,
    'tideline_outbox_documents',
    `Documents with effects that have not run yet, ${UP_TO}`,
    labels,
  );
  const overdue = gauge(
    registry,
    'tideline_outbox_overdue_documents',
    `Those of them that whoever committed them should have drained by now, ${UP_TO}`,
    labels,
  );
  const ofCollection = async (collection: OutboxCollection): Promise<void> => {
    const [all, late] = await Promise.all([
      countOutboxes(store, collection, { gt: EVER }),
      countOutboxes(store, collection, { lte: clock() }),
    ]);
    depth.set({ collection }, all);
    overdue.set({ collection }, late);
  };
  return async () => {
    await Promise.all(OUTBOXES.map(ofCollection));
  };
}

function countOutboxes(store: Store, from: OutboxCollection, relayAt: Where[string]): Promise<number> {
  const where = { partition: PARTITION, relayAt, quarantine: null };
  switch (from) {
    case 'subscription':
    case 'payment':
    case 'delivery':
      return store.actors.count(from, where, COUNTED_MOST);
    case 'offers':
    case 'customers':
    case 'wallets':
      return store.records.count(from, where, COUNTED_MOST);
    default: {
      const never: never = from;
      throw new Error(`unknown collection ${String(never)}`);
    }
  }
}

function quarantineGauge(registry: Registry, { store }: GaugeDeps): Read {
  const quarantined = gauge(registry, 'tideline_quarantined_actors', `Actors that are quarantined, ${UP_TO}`, ['kind']);
  return async () => {
    await Promise.all(
      KINDS.map(async (kind) => {
        quarantined.set({ kind }, await store.actors.count(kind, { 'quarantine.at': { gt: EVER } }, COUNTED_MOST));
      }),
    );
  };
}

/** What waits for others than this service. */
function peopleGauges(registry: Registry, { store }: GaugeDeps): Read {
  const retrying = gauge(
    registry,
    'tideline_deliveries_retrying',
    `Webhooks whose endpoint has not taken them, ${UP_TO}`,
    [],
  );
  const held = gauge(
    registry,
    'tideline_deposits_held',
    `Payments of whose deposit something lies until staff send it, ${UP_TO}`,
    [],
  );
  return async () => {
    const [deliveries, deposits] = await Promise.all([
      store.actors.count('delivery', { status: 'retrying' }, COUNTED_MOST),
      store.records.count('deposits', { heldAt: { gt: EVER } }, COUNTED_MOST),
    ]);
    retrying.set(deliveries);
    held.set(deposits);
  };
}

function auditGauges(registry: Registry, { audit, clock }: GaugeDeps): Read {
  const differences = gauge(registry, 'tideline_audit_differences', 'Differences between ledger and chains', []);
  const age = gauge(
    registry,
    'tideline_audit_age_seconds',
    'Since the chain audited longest ago was; none yet: no value',
    [],
  );
  return async () => {
    const { at, differences: found } = await audit();
    differences.set(found);
    if (at === null) age.remove();
    else age.set((clock().getTime() - at.getTime()) / 1_000);
  };
}

/** What is counted of each chain, and in which states: those that something is still to become of. */
const OPEN = [
  { of: 'charges', states: CHARGES_OPEN, name: 'tideline_charges_open', what: 'Charges that are not final' },
  {
    of: 'transactions',
    states: TRANSACTIONS_OPEN,
    name: 'tideline_transactions_open',
    what: 'Transactions of ours whose block is not finalized',
  },
  { of: 'permits', states: PERMITS_OPEN, name: 'tideline_permits_open', what: 'Permits that no token has taken yet' },
] as const;

function chainGauges(registry: Registry, { store, chains }: GaugeDeps): Read {
  const show = healthGauges(registry);
  const open = OPEN.map(({ of, states, name, what }) => {
    const counts = gauge(registry, name, `${what}, by state, ${UP_TO}`, ['chain_id', 'state']);
    return async (chainId: number): Promise<void> => {
      await Promise.all(
        states.map(async (state) => {
          const count = await store.records.count(of, { chainId, state }, COUNTED_MOST);
          counts.set({ chain_id: chainId, state }, count);
        }),
      );
    };
  });
  return async () => {
    await Promise.all(
      chains.all().map(async (chain) => {
        const [health] = await Promise.all([chain.health(), ...open.map((count) => count(chain.chainId))]);
        show(health);
      }),
    );
  };
}

function healthGauges(registry: Registry): (health: ChainHealth) => void {
  const labels = ['chain_id'] as const;
  const of = (name: string, help: string) => gauge(registry, `tideline_chain_${name}`, help, labels);
  const enabled = of('enabled', '1 where charges can be made on the chain as it is configured');
  const trouble = of('trouble', '1 where something keeps an enabled chain from being charged on; /health says what');
  const head = of('head_block', 'The newest block (EVM) or slot (Solana) that this process has seen');
  const ofSender = ['chain_id', 'sender'] as const;
  const balance = gauge(
    registry,
    'tideline_sender_balance_base_units',
    'What a sender has of the native coin to pay for gas, wei or lamports, as last seen',
    ofSender,
  );
  const inFlight = gauge(
    registry,
    'tideline_sender_transactions_in_flight',
    'Transactions of a sender that are signed and in no block yet',
    ofSender,
  );
  return ({ chainId: chain_id, ...health }) => {
    enabled.set({ chain_id }, health.enabled ? 1 : 0);
    trouble.set({ chain_id }, health.enabled && health.trouble !== null ? 1 : 0);
    if (health.head !== null) head.set({ chain_id }, health.head);
    for (const { address: sender, ...stands } of health.senders) {
      // As a float it is exact to some fifteen digits: it is for alerts, not for accounts.
      if (stands.balance !== null) balance.set({ chain_id, sender }, Number(stands.balance));
      inFlight.set({ chain_id, sender }, stands.inFlight);
    }
  };
}
