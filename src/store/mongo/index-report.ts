import { isDeepStrictEqual } from 'node:util';
import type { IndexDescription } from 'mongodb';
import type { StoreLog } from './client.ts';
import { declaredIndexes, namesOf } from './collections.ts';
import { Connection, type Row } from './connection.ts';

/** A difference between the existing and the declared indexes. */
export interface IndexTrouble {
  readonly collection: string;
  readonly index: string;
  /** `unknown`: it exists, and this code declares none with that name. */
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
        return compared(
          collection,
          declared,
          present.map((index) => shapeOf({ ...index })),
        );
      }),
    );
    return troubles.flat();
  } finally {
    await connection.close();
  }
}

interface Shape {
  readonly name: string;
  /** Order matters. */
  readonly key: readonly (readonly [string, unknown])[];
  readonly unique: boolean;
  readonly partialFilterExpression: unknown;
  readonly expireAfterSeconds: unknown;
}

function shapeOf(index: Partial<IndexDescription>): Shape {
  const { name = '', key = {}, unique, partialFilterExpression, expireAfterSeconds } = index;
  return {
    name,
    key: Object.entries(key),
    unique: unique === true,
    partialFilterExpression: partialFilterExpression ?? null,
    expireAfterSeconds: expireAfterSeconds ?? null,
  };
}

function compared(
  collection: string,
  declared: readonly IndexDescription[],
  present: readonly Shape[],
): IndexTrouble[] {
  const known = new Map(present.map((index) => [index.name, index]));
  const wanted = declared.map(shapeOf);
  const lacking = wanted.flatMap((want): IndexTrouble[] => {
    const found = known.get(want.name);
    if (found && isDeepStrictEqual(found, want)) return [];
    const about = { collection, index: want.name };
    if (!found) return [{ ...about, kind: 'missing', what: `declared, but missing: ${described(want)}` }];
    return [{ ...about, kind: 'differs', what: `is ${described(found)}; declared is ${described(want)}` }];
  });
  const names = new Set(wanted.map(({ name }) => name));
  const unknown = present.filter(({ name, key }) => !names.has(name) && !isPrimary(key));
  return [
    ...lacking,
    ...unknown.map(
      (index): IndexTrouble => ({
        collection,
        index: index.name,
        kind: 'unknown',
        what: `${described(index)}, which this version does not declare`,
      }),
    ),
  ];
}

function isPrimary(key: Shape['key']): boolean {
  return key.length === 1 && key[0]?.[0] === '_id';
}

function described({ key, unique, partialFilterExpression, expireAfterSeconds }: Shape): string {
  const fields = key.map(([path, direction]) => `${path} ${String(direction)}`).join(', ');
  const partial = partialFilterExpression === null ? '' : ` where ${JSON.stringify(partialFilterExpression)}`;
  const expires = expireAfterSeconds === null ? '' : ` for ${String(expireAfterSeconds)} s`;
  return `${unique ? 'unique ' : ''}(${fields})${partial}${expires}`;
}
