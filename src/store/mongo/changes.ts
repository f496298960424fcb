import { MongoClientBulkWriteError, MongoServerError } from 'mongodb';
import { DuplicateKey } from '../errors.ts';
import type { Change, OneChange } from '../port.ts';
import type { BoundCollection } from './collections.ts';
import type { Connection, Row } from './connection.ts';
import { isUnconfirmed } from './failures.ts';
import { byIds, filterOfOne, updateOf } from './filter.ts';

interface Placed extends OneChange {
  /** Its index in the caller's list. */
  readonly at: number;
}

/** True: made. False: not made. Error: refused by a unique index, or because the change does not fit the document. */
type Answer = boolean | Error;

/**
 * The document after the change, or null when it does not exist or does not match `where`. Throws DuplicateKey. If the
 * answer is lost, a change that pushes its operation's id onto `recentOps` is sent again and made once; the outcome of
 * any other change is then unknown.
 */
export async function changeOne(connection: Connection, bound: BoundCollection, one: OneChange): Promise<Row | null> {
  const what = `change ${bound.name} ${one.id}`;
  const op = opOf(one.change);
  if (op === null) return connection.write(what, () => send(connection, bound, one, {}));
  return connection.untilAnswered(what, async (again) => {
    if (!again) return send(connection, bound, one, {});
    const made = await send(connection, bound, one, { recentOps: { $ne: op } });
    if (made !== null) return made;
    connection.calls.add();
    return bound.rows.findOne({ ...byIds(connection, bound.name, [one.id]), recentOps: op });
  });
}

/**
 * For each change, whether it was made. Tries all, then throws the first refusal (DuplicateKey for a taken key).
 * Changes of one document run in the order given. With `bulk` (MongoDB 8.0 and later, which answers per change) they
 * are one call, without it one call each.
 */
export async function changeAll(
  connection: Connection,
  bound: BoundCollection,
  changes: readonly OneChange[],
  bulk: boolean,
): Promise<boolean[]> {
  const made = changes.map(() => false);
  const refused: Error[] = [];
  for (const round of roundsOf(changes)) {
    const answers = await (bulk && round.length > 1 ? sendBulk : sendEach)(connection, bound, round);
    for (const [at, answer] of answers) {
      if (answer instanceof Error) refused[at] = answer;
      else made[at] = answer;
    }
  }
  const first = refused.find((error) => error !== undefined);
  if (first !== undefined) throw first;
  return made;
}

async function send(connection: Connection, bound: BoundCollection, one: OneChange, also: object): Promise<Row | null> {
  const filter = { ...filterOfOne(connection, bound, one), ...also };
  try {
    return await bound.rows.findOneAndUpdate(filter, updateOf(one.change), { returnDocument: 'after' });
  } catch (error) {
    throw conflictOf(connection, bound, one, error) ?? error;
  }
}

async function sendEach(
  connection: Connection,
  bound: BoundCollection,
  round: readonly Placed[],
): Promise<ReadonlyMap<number, Answer>> {
  const answers = round.map(async (one): Promise<[number, Answer]> => {
    try {
      const filter = filterOfOne(connection, bound, one);
      const result = await connection.write(`change ${bound.name} ${one.id}`, () =>
        bound.rows.updateOne(filter, updateOf(one.change)),
      );
      return [one.at, result.matchedCount === 1];
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      return [one.at, conflictOf(connection, bound, one, error) ?? error];
    }
  });
  return new Map(await Promise.all(answers));
}

async function sendBulk(
  connection: Connection,
  bound: BoundCollection,
  round: readonly Placed[],
): Promise<ReadonlyMap<number, Answer>> {
  const models = round.map((one) => ({
    namespace: bound.rows.namespace,
    name: 'updateOne' as const,
    filter: filterOfOne(connection, bound, one),
    update: updateOf(one.change),
  }));
  const options = { ordered: false, verboseResults: true, writeConcern: connection.durable };
  return connection.write(`change ${bound.name}`, async () => {
    try {
      const { updateResults } = await connection.client.bulkWrite<Record<string, Row>>(models, options);
      return new Map(round.map((one, i) => [one.at, updateResults?.get(i)?.matchedCount === 1]));
    } catch (error) {
      if (!(error instanceof MongoClientBulkWriteError) || isUnconfirmed(error) || error.writeErrors.size === 0)
        throw error;
      return sorted(connection, bound, round, error);
    }
  });
}

/** The result of each change, when a bulk write refused some. */
function sorted(
  connection: Connection,
  bound: BoundCollection,
  round: readonly Placed[],
  error: MongoClientBulkWriteError,
): ReadonlyMap<number, Answer> {
  const answers = new Map<number, Answer>();
  for (const [i, one] of round.entries()) {
    const refusal = error.writeErrors.get(i);
    if (refusal === undefined) {
      answers.set(one.at, error.partialResult?.updateResults?.get(i)?.matchedCount === 1);
      continue;
    }
    const index = connection.duplicateIndexOf(bound.name, refusal);
    const other = () => new Error(`change ${bound.name} ${one.id}: ${refusal.message}`, { cause: error });
    answers.set(one.at, index === null ? other() : new DuplicateKey(bound.name, one.id, index));
  }
  return answers;
}

function conflictOf(
  connection: Connection,
  bound: BoundCollection,
  one: OneChange,
  error: unknown,
): DuplicateKey | null {
  const index = error instanceof MongoServerError ? connection.duplicateIndexOf(bound.name, error) : null;
  return index === null ? null : new DuplicateKey(bound.name, one.id, index);
}

/** The changes in rounds; a round has each document at most once. */
function roundsOf(changes: readonly OneChange[]): Placed[][] {
  const rounds: Placed[][] = [];
  const seen = new Map<string, number>();
  for (const [at, { id, where, change }] of changes.entries()) {
    const turn = seen.get(id) ?? 0;
    seen.set(id, turn + 1);
    const round = rounds[turn] ?? [];
    round.push({ id, where, change, at });
    rounds[turn] = round;
  }
  return rounds;
}

/** The operation id that the document will remember for this change, if any. */
function opOf(change: Change): string | null {
  const op = change.push?.['recentOps']?.[0];
  return typeof op === 'string' ? op : null;
}
