import type { Chains } from '../chains/port.ts';
import type { HealthReport } from '../http/deps.ts';
import type { Store } from '../store/port.ts';

/** What is due may wait so long, or ten ticks, before that counts as trouble. */
const LAG_MAX_MS = 2_000;

/** What `/health` says: down without a database, degraded when a chain is in trouble or what is due waits too long. */
export async function healthOf(store: Store, chains: Chains, clock: () => Date, tickMs: number): Promise<HealthReport> {
  if (!(await store.ping())) return { status: 'down', details: { database: 'does not answer' } };
  const [lagMs, reports] = await Promise.all([
    lagOf(store, clock),
    Promise.all(chains.all().map((chain) => chain.health())),
  ]);
  const troubled = reports.some(({ enabled, trouble }) => enabled && trouble !== null);
  const isLate = lagMs > Math.max(10 * tickMs, LAG_MAX_MS);
  return {
    status: troubled || isLate ? 'degraded' : 'ok',
    details: { database: 'ok', lagMs, chains: reports.map((report) => ({ ...report })) },
  };
}

/** How long the longest due subscription has been waiting, milliseconds. */
async function lagOf(store: Store, clock: () => Date): Promise<number> {
  const earliest = await store.actors.earliestWake('subscription');
  return earliest === null ? 0 : Math.max(0, clock().getTime() - earliest.getTime());
}
