import { setTimeout as delay } from 'node:timers/promises';
import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { residentMiB } from '../resident.ts';
import { median, type Row } from '../row.ts';
import type { World } from '../world.ts';
import type { Population } from './population.ts';

const AT_MOST = 1.1;
/** The requests to both sides before the measurement, because a process keeps more after its first answers. */
const LOAD = { connections: 8, requests: 600, ms: 30_000 } as const;
/** The memory samples after that, while the jobs run. */
const LOOKS = { count: 5, everyMs: 100 } as const;
const TICK_MS = '200';

/**
 * The memory of a service that serves the API and runs the jobs. It starts anew for each measurement, after the same
 * requests and some ticks. The product is both sides: with many subscriptions and with few.
 */
export function inMemory(
  world: World,
  run: BenchRun,
  { few, many }: { readonly few: Population; readonly many: Population },
): Promise<Row> {
  return hold(
    {
      name: `memory with ${many.count.toLocaleString('en')} subscriptions to with ${few.count.toLocaleString('en')}`,
      unit: 'MiB',
      product: () => resident(world, many),
      baseline: () => resident(world, few),
      target: { atMost: AT_MOST },
      rounds: 5,
      turns: 1,
    },
    run,
  );
}

async function resident(world: World, { name, merchant }: Population): Promise<number> {
  const service = await world.service({ MONGODB_DB: name, TIDELINE_ROLE: 'all', TICK_MS });
  const headers = { 'X-API-Key': merchant.key };
  const asks = ['/health', '/v1/subscriptions?limit=20', '/v1/customers'].map((path) => ({ path, headers }));
  await world.loader.load({ origin: service.url, method: 'GET', asks, body: null, status: 200, ...LOAD });
  const checks: number[] = [];
  while (checks.length < LOOKS.count) {
    await delay(LOOKS.everyMs);
    checks.push(residentMiB(service.pid));
  }
  await service.stop();
  return median(checks);
}
