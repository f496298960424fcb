import { MongoClient } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { chargesOverTime } from '../../src/staff/inspect/chart.ts';
import { search } from '../../src/staff/inspect/search.ts';
import { troubles } from '../../src/staff/inspect/trouble.ts';
import type { ActorKind } from '../../src/store/documents.ts';
import { ACTOR_INDEXES, RECORD_INDEXES } from '../../src/store/indexes.ts';
import type { Row } from '../../src/store/mongo/connection.ts';
import { filterOf, partialTypesOf } from '../../src/store/mongo/filter.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { CollectionName, Query, Store } from '../../src/store/port.ts';
import { ALICE, SOL_ALICE } from '../support/bodies.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';

interface Asked extends Pick<Query, 'where' | 'sort'> {
  readonly of: ActorKind | CollectionName;
}

const ACTORS: { readonly [name: string]: string } = {
  subscription: 'subscriptions',
  payment: 'payments',
  delivery: 'deliveries',
};

/** Staff search among the resources of all merchants. */
let devnet: TestDevnet;
let raw: MongoClient;
let opened: Store;
let store: Store;
let http: HttpHarness;
let asked: Asked[] = [];
beforeAll(async () => {
  devnet = await startTestDevnet({ mongo: true, evm: false });
  raw = new MongoClient(devnet.mongoUri, { retryWrites: false });
  opened = await openMongoStore({ uri: devnet.mongoUri, dbName: 'staff', log: silentLog });
  store = listening(opened);
  http = await startHttp((deps) => deps, store);
});
afterAll(async () => {
  await opened?.close();
  await raw?.close();
  await devnet?.stop();
});

/** The store, with a record of all its queries. */
function listening(real: Store): Store {
  return { ...real, actors: noting(real.actors), records: noting(real.records) };
}

function noting<T extends object>(part: T): T {
  return new Proxy(part, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (of: Asked['of'], query: Query & Query['where'], ...rest: unknown[]) => {
        if (name === 'find') asked.push({ of, ...query });
        if (name === 'count') asked.push({ of, where: query });
        return method.apply(target, [of, query, ...rest]);
      };
    },
  });
}

/** The recorded queries that use no index. */
async function scans(): Promise<string[]> {
  const found = await Promise.all(
    asked.map(async ({ of, where, sort = [] }) => {
      const specs = Object.entries({ ...ACTOR_INDEXES, ...RECORD_INDEXES }).find(([name]) => name === of)?.[1] ?? [];
      const rows = raw.db('staff').collection<Row>(ACTORS[of] ?? of);
      const filter = filterOf(where, partialTypesOf(specs));
      const plan = await rows.find(filter, { sort: Object.fromEntries(sort) }).explain('queryPlanner');
      const text = JSON.stringify(plan['queryPlanner']?.winningPlan ?? plan);
      return /COLLSCAN|"SORT"/.test(text) ? [`${of} ${JSON.stringify(where)}`] : [];
    }),
  );
  expect(asked.length).toBeGreaterThan(0);
  asked = [];
  return found.flat();
}

describe('on MongoDB', () => {
  it('every search uses an index', async () => {
    const bare = '01hm0000000000000000000001';
    const sought = [
      bare,
      ALICE,
      SOL_ALICE,
      `0x${'a'.repeat(64)}`,
      'a'.repeat(88),
      'mia@example.com',
      'user-17',
      `dep_${bare}`,
    ];
    for (const q of sought) expect(await search({ store, catalog: http.catalog }, q)).toEqual([]);
    expect(await scans()).toEqual([]);
  });

  it('every list of troubles uses an index, except those with one document per chain', async () => {
    await troubles({ ...http.deps, store });
    await chargesOverTime(store.records, 'day', http.now);
    expect((await scans()).filter((scan) => !scan.startsWith('audits'))).toEqual([]);
  });
});
