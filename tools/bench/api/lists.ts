import type { ActorDoc, Tenant } from '../../../src/store/documents.ts';
import { newId } from '../../../src/store/ids.ts';
import { hold, type Side } from '../contest.ts';
import { customerOf, insertMany, numberOf, paymentOf, subscriptionOf } from '../documents.ts';
import { readingSide, startLoader } from '../load.ts';
import { type BenchMerchant, benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';

const DB = 'lists';
const FEW = 1_000;
/** The number of documents that match a filter. They are the oldest, so a search from the newest finds them last. */
const RARE = 40;
/** The cost of a page must not grow with the number of documents. */
const AT_MOST = 1.3;

const QUERIES = [
  '/customers?limit=20',
  '/customers?limit=20&start=500',
  '/subscriptions?limit=20',
  '/subscriptions?limit=20&status=canceled',
  '/payments?limit=20',
  '/payments?limit=20&status=failed',
  '/payments?limit=20&source=one_time',
] as const;

/**
 * The same page of a merchant with many documents and of one with 1,000. The service is both sides, so the baseline is
 * the cost of a page with little to skip. Milliseconds per request, 4 connections.
 */
export async function lists(world: World): Promise<Row[]> {
  const customers = world.size === 'full' ? 1_000_000 : 100_000;
  // A tenth as many subscriptions and payments, because they are larger and have more indexes.
  const actors = customers / 10;
  const store = await world.openStore(DB);
  const [small, big] = [await benchMerchant(store, 'Small'), await benchMerchant(store, 'Big')];
  await fill(world, small, { customers: FEW, actors: FEW });
  await fill(world, big, { customers, actors });
  const { url: origin } = await world.service({ MONGODB_DB: DB });
  const loader = startLoader(world);
  const rows: Row[] = [];
  for (const path of QUERIES) {
    const side = ({ key }: BenchMerchant): Side => readingSide(loader, world, { origin, path, key });
    const many = path.startsWith('/customers') ? customers : actors;
    const row = await hold(world, {
      name: `GET ${path}: of ${numberOf(many)} to of ${numberOf(FEW)}`,
      unit: 'ms/request',
      product: side(big),
      baseline: side(small),
      target: { atMost: AT_MOST },
      turns: world.size === 'full' ? 4 : 1,
    });
    rows.push(row);
  }
  return rows;
}

async function fill(
  world: World,
  tenant: Tenant,
  { customers, actors }: { readonly customers: number; readonly actors: number },
): Promise<void> {
  await insertMany(world, { db: DB, collection: 'customers' }, customers, (at) => customerOf(tenant, at));
  await insertMany(world, { db: DB, collection: 'subscriptions' }, actors, (at, index) =>
    subscriptionOf(tenant, at, index <= RARE ? 'canceled' : 'active'),
  );
  await insertMany(world, { db: DB, collection: 'payments' }, actors, (at, index) => soldBy(tenant, at, index));
}

/** The oldest are failed direct charges; the others are settled cycles of subscriptions. */
function soldBy(tenant: Tenant, at: Date, index: number): ActorDoc {
  if (index <= RARE) return paymentOf(tenant, at, 'failed');
  const payment = paymentOf(tenant, at);
  const cycle = { source: 'subscription', subscriptionId: newId('sub', at), cycle: 1 };
  return { ...payment, attributes: { ...payment.attributes, ...cycle } };
}
