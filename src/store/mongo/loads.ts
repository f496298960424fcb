import type { Collection } from 'mongodb';
import { Coalescer } from '../coalesce.ts';
import { copy } from '../copy.ts';
import type { Connection, Row } from './connection.ts';

/** Reads of one collection by id; those that come while others are under way go together. */
export type Loader = Coalescer<readonly string[], Row[]>;

/** How many ids one read asks for at most, but for a single caller's. */
const IDS_MAX = 500;

/** A read takes in only what was asked for before it began: nobody is given what was read before they came. */
export function loaderOf(connection: Connection, rows: Collection<Row>): Loader {
  return new Coalescer<readonly string[], Row[]>({
    sizeOf: (ids) => ids.length,
    maxSize: IDS_MAX,
    maxFlights: 4,
    run: async (calls) => {
      const ids = [...new Set(calls.flat())];
      // One more than can come: with a batch of n the driver asks a second time whether there are more.
      const options = { batchSize: ids.length + 1 };
      const found = await connection.read(`load ${rows.collectionName}`, () =>
        rows.find({ _id: { $in: ids } }, options).toArray(),
      );
      return shares(calls, found);
    },
  });
}

/** To each call what it asked for: the documents themselves to the first that did, copies to the others. */
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
