import type { IndexDescription } from 'mongodb';
import { SHARD_KEYS } from '../collection-rules.ts';
import { shardKeyOf } from '../sharding.ts';
import type { StoreLog } from './client.ts';
import { declaredIndexes, haveSameShape, namesOf, shapeOf } from './collections.ts';
import { Connection, type Row } from './connection.ts';

/** A difference between the existing and the declared indexes. */
export interface IndexTrouble {
  readonly collection: string;
  readonly index: string;
  /** `unknown`: it exists, and this code declares none with that name or that shape. */
  readonly kind: 'missing' | 'differs' | 'unknown';
  readonly what: string;
}

/**
 * Compares the existing indexes with the declared ones. Makes none, so that one can see what opening a store would
 * repair. Throws StoreUnavailable when no server answers within 2 s.
 */
export async function indexTroubles(uri: string, dbName: string, log: StoreLog): Promise<IndexTrouble[]> {
  const connection = await Connection.open(uri, dbName, log);
  try {
    const names = await namesOf(connection);
    const found = [...declaredIndexes()].filter(([collection]) => names.has(collection));
    const troubles = await Promise.all(
      found.map(async ([collection, declared]) => {
        const rows = connection.db.collection<Row>(collection);
        const present = await connection.repeatable(`indexes of ${collection}`, () => rows.listIndexes().toArray());
        return compared(collection, declared, present);
      }),
    );
    return troubles.flat();
  } finally {
    await connection.close();
  }
}

function compared(
  collection: string,
  declared: readonly IndexDescription[],
  present: readonly Partial<IndexDescription>[],
): IndexTrouble[] {
  const lacking = declared.flatMap((want): IndexTrouble[] => {
    if (present.some((index) => haveSameShape(index, want))) return [];
    const about = { collection, index: want.name ?? '' };
    const found = present.find(({ name }) => name === want.name);
    if (!found) return [{ ...about, kind: 'missing', what: `declared, but missing: ${described(want)}` }];
    return [{ ...about, kind: 'differs', what: `is ${described(found)}; declared is ${described(want)}` }];
  });
  const unknown = present.filter(
    (index) =>
      !isKey(collection, index) && !declared.some((want) => want.name === index.name || haveSameShape(index, want)),
  );
  return [
    ...lacking,
    ...unknown.map(
      (index): IndexTrouble => ({
        collection,
        index: index.name ?? '',
        kind: 'unknown',
        what: `${described(index)}, which this version does not declare`,
      }),
    ),
  ];
}

/** The primary index, or that of the shard key. */
function isKey(collection: string, index: Partial<IndexDescription>): boolean {
  const paths = shapeOf(index).key.map(([path]) => path);
  return paths.join() === '_id' || paths.join() === Object.keys(SHARD_KEYS[shardKeyOf(collection) ?? 'id']).join();
}

function described(index: Partial<IndexDescription>): string {
  const { key, options } = shapeOf(index);
  const { unique = false, partialFilterExpression = null, expireAfterSeconds = null, ...others } = options;
  const fields = key.map(([path, direction]) => `${path} ${String(direction)}`).join(', ');
  const partial = partialFilterExpression === null ? '' : ` where ${JSON.stringify(partialFilterExpression)}`;
  const expires = expireAfterSeconds === null ? '' : ` for ${String(expireAfterSeconds)} s`;
  const more = Object.keys(others).length === 0 ? '' : ` with ${JSON.stringify(others)}`;
  return `${unique === true ? 'unique ' : ''}(${fields})${partial}${expires}${more}`;
}
