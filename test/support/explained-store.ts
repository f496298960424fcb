import type { Db } from 'mongodb';
import type { ActorKind } from '../../src/store/documents.ts';
import { RECORD_INDEXES } from '../../src/store/indexes.ts';
import type { Row } from '../../src/store/mongo/connection.ts';
import { filterOf, partialTypesOf } from '../../src/store/mongo/filter.ts';
import type { CollectionName, LedgerStore, Query } from '../../src/store/port.ts';

interface Asked extends Pick<Query, 'where' | 'sort'> {
  readonly of: ActorKind | CollectionName;
}

const ACTORS: { readonly [name: string]: string } = {
  subscription: 'subscriptions',
  payment: 'payments',
};

/** A store that keeps its queries, and explains them on MongoDB. */
export class ExplainedStore {
  readonly store: LedgerStore;
  #asked: Asked[] = [];

  constructor(real: LedgerStore) {
    this.store = { ...real, actors: this.#noting(real.actors), records: this.#noting(real.records) };
  }

  /** Forgets the queries. */
  forget(): void {
    this.#asked = [];
  }

  /**
   * The queries since the last call that read a whole collection. Without `sorts`, also those that sort what they find.
   */
  async scans(db: Db, { sorts }: { readonly sorts: boolean } = { sorts: false }): Promise<string[]> {
    const asked = this.#asked;
    this.forget();
    expect(asked.length).toBeGreaterThan(0);
    const found = await Promise.all(
      asked.map(async ({ of, where, sort = [] }) => {
        const collection = ACTORS[of] ?? of;
        const specs = Object.entries(RECORD_INDEXES).find(([name]) => name === collection)?.[1] ?? [];
        const rows = db.collection<Row>(collection);
        const filter = filterOf(where, partialTypesOf(specs));
        const plan = await rows.find(filter, { sort: Object.fromEntries(sort) }).explain('queryPlanner');
        const text = JSON.stringify(plan['queryPlanner']?.winningPlan ?? plan);
        const isScan = sorts ? /COLLSCAN/ : /COLLSCAN|"SORT"/;
        return isScan.test(text) ? [`${of} ${JSON.stringify(where)} ${text}`] : [];
      }),
    );
    return found.flat();
  }

  #noting<T extends object>(part: T): T {
    return new Proxy(part, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (of: Asked['of'], query: Query & Query['where'], ...rest: unknown[]) => {
          if (name === 'find' || name === 'findFields') this.#asked.push({ of, ...query });
          if (name === 'count') this.#asked.push({ of, where: query });
          return method.apply(target, [of, query, ...rest]);
        };
      },
    });
  }
}
