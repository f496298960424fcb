import { apiKeyDoc, newApiKey } from '../../../src/model/secrets.ts';
import { newId } from '../../../src/store/ids.ts';
import type { BenchRun } from '../bench.ts';
import { hold, type Side } from '../contest.ts';
import { readingSide } from '../load/loader.ts';
import { benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { insertMany } from './documents.ts';

const FEW = 10;
const MANY = 100_000;
/** The tolerance between two equal processes on a machine with other work. */
const AT_MOST = 1.3;

/**
 * A call that does little but check its key, at a service with 100,000 keys and at one with 10. These are two service
 * processes, each with its own database on one engine. Milliseconds per request, 4 connections.
 */
export async function keys(world: World, run: BenchRun): Promise<Row> {
  run.progress.step(`keys: ${MANY.toLocaleString('en')} are made`);
  return hold(
    {
      name: `GET /webhooks/secret: with ${MANY.toLocaleString('en')} API keys to with ${FEW}`,
      unit: 'ms/request',
      product: await sideWith(world, run, MANY),
      baseline: await sideWith(world, run, FEW),
      target: { atMost: AT_MOST },
      rounds: 5,
      turns: run.size === 'full' ? 8 : 1,
    },
    run,
  );
}

async function sideWith(world: World, run: BenchRun, count: number): Promise<Side> {
  const db = `keys-${count}`;
  const { key } = await benchMerchant(await world.store(db), 'Keys');
  // The merchant already has two keys.
  await insertMany(world.mongo, { db, collection: 'apiKeys' }, count - 2, (at) =>
    apiKeyDoc(newApiKey('test'), newId('mrc', at), 'test', at),
  );
  const { url: origin } = await world.service({ MONGODB_DB: db });
  return readingSide(world, run, { origin, path: '/webhooks/secret', key });
}
