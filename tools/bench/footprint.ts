import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { hold } from './contest.ts';
import { numberOf } from './documents.ts';
import { type Population, populated } from './footprint/population.ts';
import { madeByService } from './footprint/specimen.ts';
import { startLoader } from './load.ts';
import { residentMiB } from './processes.ts';
import { counted, median, type Row } from './row.ts';
import { FEW, MANY } from './subscriptions.ts';
import type { World } from './world.ts';

const BYTES_MAX = 3_000;
const MEMORY_AT_MOST = 1.1;
/** The requests to both sides before the measurement, because a process keeps more after its first answers. */
const LOAD = { connections: 8, requests: 600, ms: 30_000 } as const;
/** The memory samples after that, while the jobs run. */
const LOOKS = { count: 5, everyMs: 100 } as const;
const TICK_MS = '200';

/** The cost of a subscription that only exists: memory of the service, and disk space. */
export async function footprint(world: World): Promise<Row[]> {
  world.progress.step('footprint: a service makes one subscription and bills it');
  const specimen = await madeByService(world);
  const few = await populated(world, { name: 'few', count: FEW, specimen });
  const many = await populated(world, { name: 'many', count: MANY[world.size], specimen });
  return [...(await onDisk(world, many)), await inMemory(world, few, many)];
}

const stats = z.object({ storageSize: z.number(), totalIndexSize: z.number() });

/**
 * The size of the files after a checkpoint, per subscription. The log grows with events, so its size is given per
 * cycle.
 */
async function onDisk({ progress, mongo }: World, { name, count, journaled, specimen }: Population): Promise<Row[]> {
  progress.step('footprint: a checkpoint');
  const db = mongo.db(name);
  await db.admin().command({ fsync: 1 });
  const heads = await sizes(db, 'subscriptions');
  const timers = await sizes(db, 'timers');
  const log = await sizes(db, 'log');
  const indexes = (heads.totalIndexSize + timers.totalIndexSize) / count;
  const timer = (timers.storageSize + timers.totalIndexSize) / count;
  const all = (heads.storageSize + heads.totalIndexSize) / count + timer;
  const logBytes = (log.storageSize + log.totalIndexSize) / journaled;
  const of = `of ${numberOf(count)}`;
  return [
    counted(`head, timer and indexes of a subscription, ${of}`, 'bytes', all, { atMost: BYTES_MAX }),
    counted(`the indexes alone, ${of}`, 'bytes', indexes),
    counted(`the timer with its index, ${of}`, 'bytes', timer),
    counted(`rows of the log of a subscription with ${specimen.cycles} cycles`, 'bytes', logBytes),
    counted('rows of the log, one cycle', 'bytes', logBytes / specimen.cycles),
  ];
}

async function sizes(db: Db, collection: string): Promise<z.infer<typeof stats>> {
  return stats.parse(await db.command({ collStats: collection }));
}

/**
 * The memory of a service that serves the API and runs the jobs. It starts anew for each measurement, after the same
 * requests and some ticks. The product is both sides: with many subscriptions and with few.
 */
function inMemory(world: World, few: Population, many: Population): Promise<Row> {
  const loader = startLoader(world);
  const resident = async ({ name, merchant }: Population): Promise<number> => {
    const service = await world.service({ MONGODB_DB: name, TIDELINE_ROLE: 'all', TICK_MS });
    const headers = { 'X-API-Key': merchant.key };
    const asks = ['/health', '/v1/subscriptions?limit=20', '/v1/customers'].map((path) => ({ path, headers }));
    await loader.ask('load', { origin: service.url, method: 'GET', asks, body: null, status: 200, ...LOAD });
    const checks: number[] = [];
    while (checks.length < LOOKS.count) {
      await delay(LOOKS.everyMs);
      checks.push(residentMiB(service.pid));
    }
    await service.stop();
    return median(checks);
  };
  return hold(world, {
    name: `memory with ${numberOf(many.count)} subscriptions to with ${numberOf(few.count)}`,
    unit: 'MiB',
    product: () => resident(many),
    baseline: () => resident(few),
    target: { atMost: MEMORY_AT_MOST },
  });
}
