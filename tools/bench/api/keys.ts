import { apiKeyDoc, newApiKey } from '../../../src/model/secrets.ts';
import { newId } from '../../../src/store/ids.ts';
import { hold, type Side } from '../contest.ts';
import { insertMany, numberOf } from '../documents.ts';
import { type Loader, readingSide, startLoader } from '../load.ts';
import { benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';

const FEW = 10;
const MANY = 100_000;
/** The tolerance between two equal processes on a machine with other work. */
const AT_MOST = 1.3;

/**
 * A call that does little but check its key, at a service with 100,000 keys and at one with 10. These are two service
 * processes, each with its own database on one engine. Milliseconds per request, 4 connections.
 */
export async function keys(world: World): Promise<Row[]> {
  const loader = startLoader(world);
  const row = await hold(world, {
    name: `GET /webhooks/secret: with ${numberOf(MANY)} API keys to with ${FEW}`,
    unit: 'ms/request',
    product: await sideWith(world, loader, MANY),
    baseline: await sideWith(world, loader, FEW),
    target: { atMost: AT_MOST },
    turns: world.size === 'full' ? 8 : 1,
  });
  return [row];
}

async function sideWith(world: World, loader: Loader, count: number): Promise<Side> {
  const db = `keys-${count}`;
  const { key } = await benchMerchant(await world.openStore(db), 'Keys');
  // The merchant already has two keys.
  await insertMany(world, { db, collection: 'apiKeys' }, count - 2, (at) =>
    apiKeyDoc(newApiKey('test'), newId('mrc', at), 'test', at),
  );
  const { url: origin } = await world.service({ MONGODB_DB: db });
  return readingSide(loader, world, { origin, path: '/webhooks/secret', key });
}
