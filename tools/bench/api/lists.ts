import type { ActorDoc, Tenant } from '../../../src/store/documents.ts';
import { newId } from '../../../src/store/ids.ts';
import type { BenchRun } from '../bench.ts';
import { hold, type Side } from '../contest.ts';
import { readingSide } from '../load/loader.ts';
import { type BenchMerchant, benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { customerOf, insertMany, paymentOf, subscriptionOf } from './documents.ts';

const DB = 'lists';
const FEW = 1_000;
/** The number of documents that match a filter. They are the oldest, so a search from the newest finds them last. */
const RARE = 40;
/** The cost of a page must not grow with the number of documents. */
const AT_MOST = 1.3;

/** One list request, and the number of documents of the merchant with many. */
interface List {
  readonly query: string;
  readonly many: number;
}

interface Sellers {
  /** It has 1,000 documents of every kind. */
  readonly small: BenchMerchant;
  readonly big: BenchMerchant;
}

/**
 * The same page of a merchant with many documents and of one with 1,000. The service is both sides, so the baseline is
 * the cost of a page with little to skip. Milliseconds per request, 4 connections.
 */
export async function lists(world: World, run: BenchRun): Promise<Row[]> {
  const many = run.size === 'full' ? 1_000_000 : 100_000;
  const store = await world.store(DB);
  const sellers = { small: await benchMerchant(store, 'Small'), big: await benchMerchant(store, 'Big') };
  await fill(world, run, sellers, many);
  const { url: origin } = await world.service({ MONGODB_DB: DB });
  const rows: Row[] = [];
  for (const list of listsOf(many)) rows.push(await compare({ world, run, origin, sellers }, list));
  return rows;
}

/** A tenth as many subscriptions and payments, because they are larger and have more indexes. */
function listsOf(many: number): List[] {
  const actors = many / 10;
  return [
    { query: '/customers?limit=20', many },
    { query: '/customers?limit=20&start=500', many },
    { query: '/subscriptions?limit=20', many: actors },
    { query: '/subscriptions?limit=20&status=canceled', many: actors },
    { query: '/payments?limit=20', many: actors },
    { query: '/payments?limit=20&status=failed', many: actors },
    { query: '/payments?limit=20&source=one_time', many: actors },
  ];
}

async function fill(world: World, { progress, signal }: BenchRun, sellers: Sellers, many: number): Promise<void> {
  const into = <T extends { readonly _id: string }>(
    collection: string,
    count: number,
    make: (tenant: Tenant) => (at: Date, index: number) => T,
  ) =>
    Promise.all(
      [
        { tenant: sellers.small, size: FEW },
        { tenant: sellers.big, size: count },
      ].map(({ tenant, size }) =>
        insertMany(world.mongo, { db: DB, collection }, size, make(tenant), (done) => {
          signal.throwIfAborted();
          progress.step(`lists: ${done.toLocaleString('en')} of ${size.toLocaleString('en')} ${collection} inserted`);
        }),
      ),
    );
  await into('customers', many, (tenant) => (at) => customerOf(tenant, at));
  await into(
    'subscriptions',
    many / 10,
    (tenant) => (at, index) => subscriptionOf(tenant, at, index <= RARE ? 'canceled' : 'active'),
  );
  await into('payments', many / 10, (tenant) => (at, index) => soldBy(tenant, at, index));
}

/** The oldest are failed direct charges; the others are settled cycles of subscriptions. */
function soldBy(tenant: Tenant, at: Date, index: number): ActorDoc {
  if (index <= RARE) return paymentOf(tenant, at, 'failed');
  const payment = paymentOf(tenant, at);
  const cycle = { source: 'subscription', subscriptionId: newId('sub', at), cycle: 1, apiKeyOf: null };
  return { ...payment, attributes: { ...payment.attributes, ...cycle } };
}

interface Stage {
  readonly world: World;
  readonly run: BenchRun;
  /** The address of the service. */
  readonly origin: string;
  readonly sellers: Sellers;
}

function compare({ world, run, origin, sellers }: Stage, { query, many }: List): Promise<Row> {
  const side = ({ key }: BenchMerchant): Side => readingSide(world, run, { origin, path: query, key });
  return hold(
    {
      name: `GET ${query}: of ${many.toLocaleString('en')} to of ${FEW.toLocaleString('en')}`,
      unit: 'ms/request',
      product: side(sellers.big),
      baseline: side(sellers.small),
      target: { atMost: AT_MOST },
      rounds: 5,
      turns: run.size === 'full' ? 4 : 1,
    },
    run,
  );
}
