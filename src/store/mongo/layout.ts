import { type Collection, MongoServerError } from 'mongodb';
import type { Connection, Row } from './connection.ts';
import { DUPLICATE_KEY } from './failures.ts';

/**
 * The number of the form in which this code stores documents. Raise it with every change that stored documents do not
 * fit, and record the data of the tests anew (`test/store/layout/record.ts`).
 */
export const LAYOUT = 6;

const ID = 'layout';
const SETTINGS = 'settings';

interface LayoutDeps {
  readonly connection: Connection;
  readonly dbName: string;
  /** The database is the embedded one of a data folder. */
  readonly isEmbedded: boolean;
}

/**
 * Gives an empty database the number of this layout, before anything else is stored there.
 *
 * @param collections the names of those that exist
 * @throws Error with one sentence for people if the database has data of another layout, or data without a number
 */
export async function requireLayout(deps: LayoutDeps, collections: ReadonlySet<string>): Promise<void> {
  const { connection } = deps;
  const settings = connection.db.collection<Row>(SETTINGS);
  const isEmpty = [...collections].every((name) => name === SETTINGS);
  if (isEmpty) await connection.untilAnswered('store the layout', () => insertOnce(settings));
  const found = await connection.repeatable('read the layout', () => settings.findOne({ _id: ID }));
  if (found?.['value'] !== String(LAYOUT)) throw new Error(refusal(deps, found?.['value'] ?? null));
}

/** Another process may have stored it a moment ago. */
async function insertOnce(settings: Collection<Row>): Promise<void> {
  try {
    await settings.insertOne({ _id: ID, value: String(LAYOUT) });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
  }
}

function refusal({ dbName, isEmbedded }: LayoutDeps, found: unknown): string {
  const has = found === null ? 'data without a layout number' : `data of layout ${String(found)}`;
  const remedy = isEmbedded
    ? 'npm run reset deletes the data folder, and the next start makes a new one'
    : `drop the database ${dbName}, or name another one in MONGODB_DB`;
  return `the database ${dbName} has ${has}, and this version reads layout ${LAYOUT} only: ${remedy}`;
}
