import type { Collection } from 'mongodb';
import { Coalescer } from '../coalesce.ts';
import { copy } from '../copy.ts';
import type { Connection, Row } from './connection.ts';

/** Reads of one collection by id; reads that arrive during another share the next one. */
export type Loader = Coalescer<readonly string[], Row[]>;

/** The most ids in one read, unless a single caller asks for more. */
const IDS_MAX = 500;

/** A read serves only callers who asked before it began: nobody gets data older than their question. */
export function loaderOf(connection: Connection, rows: Collection<Row>): Loader {
  return new Coalescer<readonly string[], Row[]>({
    sizeOf: (ids) => ids.length,
    maxSize: IDS_MAX,
    concurrency: 4,
    run: async (calls) => {
      const ids = [...new Set(calls.flat())];
      // One more than the possible results: a batch that is exactly full makes the driver ask for more.
      const options = { batchSize: ids.length + 1 };
      const found = await connection.repeatable(`load ${rows.collectionName}`, () =>
        rows.find({ _id: { $in: ids } }, options).toArray(),
      );
      return shares(calls, found);
    },
  });
}

/**
 * Divides the documents among the calls: the first call that asked gets the documents themselves, others get copies.
 */
function shares(calls: readonly (readonly string[])[], found: readonly Row[]): Row[][] {
  if (calls.length === 1) return [[...found]];
  const docs = new Map(found.map((doc) => [doc._id, doc]));
  const given = new Set<string>();
  return calls.map((ids) =>
    [...new Set(ids)].flatMap((id) => {
      const doc = docs.get(id);
      if (doc === undefined) return [];
      if (given.has(id)) return [copy(doc)];
      given.add(id);
      return [doc];
    }),
  );
}
