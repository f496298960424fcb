import { auditState } from '../billing/audit/state.ts';
import type { Chains } from '../chains/port.ts';
import type { HealthReport } from '../http/deps.ts';
import type { Store } from '../store/port.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Due work may wait this long, or ten ticks, before the service is degraded. */
const LAG_MAX_MS = 2_000;

export interface HealthDeps {
  readonly lifecycle: Lifecycle;
  readonly store: Store;
  readonly chains: Chains;
  readonly clock: () => Date;
  readonly tickMs: number;
}

/**
 * The answer of `/health`: down while the process starts or stops, and without a database; degraded when a chain is in
 * trouble or due work waits too long.
 */
export async function healthOf({ lifecycle, store, chains, clock, tickMs }: HealthDeps): Promise<HealthReport> {
  const { phase, why } = lifecycle.getSnapshot().context;
  if (phase !== 'serving') return { status: 'down', details: { phase, why } };
  if (!(await store.ping())) return { status: 'down', details: { phase, database: 'does not answer' } };
  const [lagMs, audit, reports] = await Promise.all([
    lagOf(store, clock),
    auditState(store.records),
    Promise.all(chains.all().map((chain) => chain.health())),
  ]);
  const troubled = reports.some(({ enabled, trouble }) => enabled && trouble !== null);
  const isLate = lagMs > Math.max(10 * tickMs, LAG_MAX_MS);
  return {
    status: troubled || isLate ? 'degraded' : 'ok',
    details: {
      phase,
      database: 'ok',
      lagMs,
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
