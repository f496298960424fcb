import { stat } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import type { ChainHealth, Chains } from '../chains/port.ts';
import { type ActorKind, EVERY_PARTITION, type OutboxSource } from '../store/documents.ts';
import type { Store, Where } from '../store/port.ts';

export interface GaugeDeps {
  readonly store: Store;
  readonly chains: Chains;
  /** The findings of the recurring audit; `at` null: not every chain has been audited. */
  readonly audit: () => Promise<{ readonly at: Date | null; readonly differences: number }>;
  readonly clock: () => Date;
  /** The file that the backup job touches when it has succeeded; null: none is configured. */
  readonly backupMarker: string | null;
}

/** The highest count: a scrape costs the database the same in a disaster as on a quiet day. */
const COUNTED_MOST = 10_000;
const UP_TO = `counted up to ${COUNTED_MOST}`;

const KINDS: readonly ActorKind[] = ['subscription', 'payment'];
const OUTBOXES: readonly OutboxSource[] = [...KINDS, 'offers', 'customers', 'wallets'];
const PARTITION: Where[string] = { in: EVERY_PARTITION };
const CHARGES_OPEN = ['waiting', 'started', 'sent', 'mined'] as const;
const TRANSACTIONS_OPEN = ['signed', 'mined', 'final'] as const;
const PERMITS_OPEN = ['waiting', 'started', 'sent'] as const;
/** A condition that all meet, on the first key of an index: without one, the database reads the whole collection. */
const EVER = new Date(0);

/**
 * Gauges from the database and the chains at the moment of a scrape. All processes on one database show the same
 * values, except for their own view of the chains. A call updates them; each count uses a declared index.
 */
export function gaugesIn(registry: Registry, deps: GaugeDeps): Read {
  const due = dueGauges(registry, deps);
  const outboxes = outboxGauges(registry, deps);
  const quarantined = quarantineGauge(registry, deps);
  const people = peopleGauges(registry, deps);
  const chains = chainGauges(registry, deps);
  const audit = auditGauges(registry, deps);
  const backup = backupGauge(registry, deps);
  return async () => {
    await Promise.all([due(), outboxes(), quarantined(), people(), chains(), audit(), backup()]);
  };
}

type Read = () => Promise<void>;

function gauge<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[]): Gauge<L> {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}

/** Shows nothing without a configured file, and with a file that no job has touched yet. */
function backupGauge(registry: Registry, { backupMarker, clock }: GaugeDeps): Read {
  const age = gauge(
    registry,
    'tideline_backup_age_seconds',
    'Time since the backup job last touched BACKUP_MARKER',
    [],
  );
  return async () => {
    age.remove();
    const touched = backupMarker === null ? null : await stat(backupMarker).catch(() => null);
    if (touched !== null) age.set(Math.max(0, clock().getTime() - touched.mtimeMs) / 1_000);
  };
}

function dueGauges(registry: Registry, { store, clock }: GaugeDeps): Read {
  const due = gauge(registry, 'tideline_due_actors', `Actors that are due to be woken, ${UP_TO}`, ['kind']);
  const lag = gauge(registry, 'tideline_due_lag_seconds', 'How long the longest due actor has waited', ['kind']);
  const { actors, records } = store;
  return async () => {
    const now = clock();
    const show = async (kind: string, counting: Promise<number>, finding: Promise<Date | null>): Promise<void> => {
      const [count, earliest] = await Promise.all([counting, finding]);
      due.set({ kind }, count);
      lag.set({ kind }, earliest === null ? 0 : Math.max(0, now.getTime() - earliest.getTime()) / 1_000);
    };
    const timers = (kind: ActorKind) =>
      records.count('timers', { kind, partition: PARTITION, at: { lte: now } }, COUNTED_MOST);
    const where = { partition: PARTITION, wakeAt: { lte: now }, quarantine: null };
    const first = records.find('events', { where, sort: [['wakeAt', 1]], limit: 1 });
    await Promise.all([
      ...KINDS.map((kind) => show(kind, timers(kind), actors.earliestWake(kind))),
      show(
        'delivery',
        records.count('events', where, COUNTED_MOST),
        first.then(([event]) => event?.wakeAt ?? null),
      ),
    ]);
  };
}

function outboxGauges(registry: Registry, { store, clock }: GaugeDeps): Read {
  const labels = ['collection'] as const;
  const depth = gauge(
    registry,
    'tideline_outbox_documents',
    `Outboxes with effects that have not run yet, ${UP_TO}`,
    labels,
  );
  const overdue = gauge(
    registry,
    'tideline_outbox_overdue_documents',
    `Outboxes with effects that should have run by now, ${UP_TO}`,
    labels,
  );
  const ofCollection = async (collection: OutboxSource): Promise<void> => {
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

function countOutboxes({ records }: Store, source: OutboxSource, at: Where[string]): Promise<number> {
  return records.count('outbox', { source, at }, COUNTED_MOST);
}

function quarantineGauge(registry: Registry, { store }: GaugeDeps): Read {
  const quarantined = gauge(registry, 'tideline_quarantined_actors', `Actors in quarantine, ${UP_TO}`, ['kind']);
  return async () => {
    const where = { 'quarantine.at': { gt: EVER } };
    const counts = KINDS.map(async (kind) => [kind, await store.actors.count(kind, where, COUNTED_MOST)] as const);
    quarantined.set({ kind: 'delivery' }, await store.records.count('events', where, COUNTED_MOST));
    for (const [kind, count] of await Promise.all(counts)) quarantined.set({ kind }, count);
  };
}

/** Work that waits for somebody outside of the service. */
function peopleGauges(registry: Registry, { store }: GaugeDeps): Read {
  const retrying = gauge(registry, 'tideline_deliveries_retrying', `Deliveries that wait for a retry, ${UP_TO}`, []);
  const held = gauge(registry, 'tideline_deposits_held', `Payments whose deposit waits for staff, ${UP_TO}`, []);
  return async () => {
    const [deliveries, deposits] = await Promise.all([
      store.records.count('events', { status: 'retrying', updatedAt: { gt: EVER } }, COUNTED_MOST),
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
    'Time since the oldest audit of a chain; no value before the first',
    [],
  );
  return async () => {
    const { at, differences: found } = await audit();
    differences.set(found);
    if (at === null) age.remove();
    else age.set((clock().getTime() - at.getTime()) / 1_000);
  };
}

/** The open states per chain of each counted collection. */
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
  const enabled = of('enabled', '1 if the configuration allows charges on the chain');
  const trouble = of('trouble', '1 if something blocks charges on an enabled chain; /health names the cause');
  const head = of('head_block', 'The newest block (EVM) or slot (Solana) that this process has seen');
  const reverts = of('reverts', 'Transactions in a row that reverted as a whole, as this process has seen them');
  const ofSender = (name: string, help: string) =>
    gauge(registry, `tideline_sender_${name}`, help, ['chain_id', 'sender'] as const);
  const balance = ofSender(
    'balance_base_units',
    'Native coin of a sender for gas, wei or lamports, at the last reading',
  );
  const chargesLeft = ofSender(
    'charges_left',
    'The smallest charges that the balance of a sender pays for, at the prices of the last reading',
  );
  const inFlight = ofSender('transactions_in_flight', 'Signed transactions of a sender that no block contains yet');
  const expired = ofSender('transactions_expired', 'Transactions of a sender that expired within the last hour');
  return ({ chainId: chain_id, ...health }) => {
    enabled.set({ chain_id }, health.enabled ? 1 : 0);
    trouble.set({ chain_id }, health.enabled && health.trouble !== null ? 1 : 0);
    reverts.set({ chain_id }, health.reverts);
    if (health.head !== null) head.set({ chain_id }, health.head);
    for (const { address: sender, ...stands } of health.senders) {
      // A float has some fifteen exact digits: enough for alerts, not for accounts.
      if (stands.balance !== null) balance.set({ chain_id, sender }, Number(stands.balance));
      if (stands.chargesLeft !== null) chargesLeft.set({ chain_id, sender }, stands.chargesLeft);
      inFlight.set({ chain_id, sender }, stands.inFlight);
      expired.set({ chain_id, sender }, stands.expired);
    }
  };
}
