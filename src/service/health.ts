import { createStore } from '@xstate/store';
import { auditState } from '../billing/audit/state.ts';
import type { Chains } from '../chains/port.ts';
import { HEALTH_ANSWER_MS, type HealthReport } from '../http/deps.ts';
import type { UnreadableClients } from '../http/unreadable-clients.ts';
import type { Log } from '../observability/log.ts';
import type { Store } from '../store/port.ts';
import { within } from '../store/within.ts';

/** Receivers of webhooks refuse signatures that are further off. */
const APART_MAX_MS = 5 * 60_000;

type ClockCheck = ReturnType<typeof createClockCheck>;

/** Compares the clock of this process with the dates of the nodes' answers. `isMoved`: a test has set it on purpose. */
export function createClockCheck(clock: () => Date, log: Log, isMoved = false) {
  const troubles = new Map<string, string>();
  return {
    /** One sentence for each node with another time; null: there is none. */
    trouble: (): string | null => (troubles.size === 0 ? null : [...troubles.values()].join('; ')),
    isWrong: (): boolean => troubles.size > 0 && !isMoved,
    /** Logs a warning when a node begins to have another time. */
    note(host: string, date: Date): void {
      const aheadMs = clock().getTime() - date.getTime();
      if (!(Math.abs(aheadMs) > APART_MAX_MS)) {
        troubles.delete(host);
        return;
      }
      const minutes = Math.round(Math.abs(aheadMs) / 60_000);
      const sentence = `this machine's clock is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}: set it by NTP`;
      if (!troubles.has(host)) log.warn({ host, aheadMs }, sentence);
      troubles.set(host, sentence);
    },
  };
}

/** The phase of this process. `lost`: a required part has died. */
type Phase = 'starting' | 'serving' | 'stopping' | 'lost';

interface LifecycleState {
  readonly phase: Phase;
  /** The part that has died, for people; null unless the phase is `lost`. */
  readonly why: string | null;
}

/** The state of this process, which `/health` shows to load balancers. Phases only go forward. */
export function createLifecycle() {
  const starting: LifecycleState = { phase: 'starting', why: null };
  return createStore({
    context: starting,
    on: {
      served: (state) => (state.phase === 'starting' ? { ...state, phase: 'serving' as const } : state),
      stopped: (state) => (state.phase === 'lost' ? state : { ...state, phase: 'stopping' as const }),
      lost: (_state, { why }: { why: string }) => ({ phase: 'lost' as const, why }),
    },
  });
}

type Lifecycle = ReturnType<typeof createLifecycle>;

/** Due work may wait this long, or ten ticks, before the service is degraded. */
const LAG_MAX_MS = 2_000;

export interface HealthDeps {
  readonly lifecycle: Lifecycle;
  readonly store: Store;
  readonly chains: Chains;
  readonly clock: () => Date;
  readonly tickMs: number;
  readonly unreadable: UnreadableClients;
  readonly clockCheck: ClockCheck;
  /** What the database's user may do beyond the role of this process; null: there are no users. */
  readonly excess: () => Promise<string[] | null>;
}

/**
 * The answer of `/readyz`: true if this process can serve. It has started, is not stopping, and its database answers.
 */
export async function isReady({ lifecycle, store }: Pick<HealthDeps, 'lifecycle' | 'store'>): Promise<boolean> {
  return lifecycle.getSnapshot().context.phase === 'serving' && (await store.ping());
}

/**
 * The answer of `/health`: down while the process starts or stops, and without a database; degraded when a chain is in
 * trouble, due work waits too long, the clock is off, or the proxies do not name clients. Comes within a second: what
 * does not answer by then is trouble.
 */
export async function healthOf(deps: HealthDeps): Promise<HealthReport> {
  const began = performance.now();
  const { phase, why } = deps.lifecycle.getSnapshot().context;
  if (phase !== 'serving') return { status: 'down', details: { phase, why } };
  if (!(await deps.store.ping())) return { status: 'down', details: { phase, database: 'does not answer' } };
  const late: HealthReport = { status: 'degraded', details: { phase, database: 'answers too slowly for the details' } };
  return within(HEALTH_ANSWER_MS - (performance.now() - began), reportOf(deps), late);
}

async function reportOf(deps: HealthDeps): Promise<HealthReport> {
  const { store, chains, clock, tickMs, unreadable, clockCheck } = deps;
  const [lagMs, audit, excess, reports] = await Promise.all([
    lagOf(store, clock),
    auditState(store.records),
    deps.excess(),
    Promise.all(chains.all().map((chain) => chain.health())),
  ]);
  const troubled = reports.some(({ enabled, trouble }) => enabled && trouble !== null);
  const trouble = unreadable.trouble();
  const isLate = lagMs > Math.max(10 * tickMs, LAG_MAX_MS);
  return {
    status: troubled || isLate || trouble !== null || clockCheck.isWrong() ? 'degraded' : 'ok',
    details: {
      phase: 'serving',
      database: 'ok',
      databaseUser: userText(excess),
      lagMs,
      clock: clockCheck.trouble() ?? 'ok',
      clients: trouble ?? 'ok',
      audit: { at: audit.at?.toISOString() ?? null, differences: audit.differences },
      chains: reports.map((report) => ({ ...report })),
    },
  };
}

/** How long the longest due subscription has waited, in milliseconds. */
async function lagOf(store: Store, clock: () => Date): Promise<number> {
  const earliest = await store.actors.earliestWake('subscription');
  return earliest === null ? 0 : Math.max(0, clock().getTime() - earliest.getTime());
}

/** More rights are no trouble of this process, but they make a thief of it stronger. */
function userText(excess: readonly string[] | null): string {
  if (excess === null) return 'none: the database has no access control';
  return excess.length === 0 ? 'ok' : `may do more than its role: ${excess.join(', ')}; see npm run ops -- roles`;
}
