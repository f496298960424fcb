import {
  type ClientBulkWriteResult,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

export const DUPLICATE_KEY = 11000;

/**
 * Codes of a member that refuses a command because it is not the primary. It checks that before it executes anything.
 */
const REFUSED_ON_ARRIVAL: ReadonlySet<unknown> = new Set([10058, 10107, 13435]);

/** Codes of a server that steps down, shuts down or could not confirm: the write may be done, and it may not stay. */
const UNSETTLED: ReadonlySet<unknown> = new Set([6, 7, 64, 89, 91, 134, 189, 262, 317, 358, 9001, 11600, 11602, 13436]);

/** Node's codes of a connection that breaks while the driver waits to write; it passes these errors on as they are. */
const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ETIMEDOUT',
]);

/**
 * What an error says about the operation that failed with it.
 *
 * - `closed`: this process has closed the client.
 * - `unreached`: no server could be selected.
 * - `notExecuted`: it waited for a connection when another one's failure emptied the pool, or a member that is not the
 *   primary refused it.
 * - `unknown`: no answer, or an answer that leaves open whether the write is done and stays.
 * - `answered`: the server's final word.
 */
export type Fate = 'closed' | 'unreached' | 'notExecuted' | 'unknown' | 'answered';

export function fateOf(error: unknown): Fate {
  const root = rootOf(error);
  if (isClosed(root)) return 'closed';
  if (root instanceof MongoServerSelectionError) return 'unreached';
  // The driver does not export the class.
  if (root instanceof MongoNetworkError) return root.name === 'MongoPoolClearedError' ? 'notExecuted' : 'unknown';
  if (!(root instanceof MongoServerError)) return isBrokenConnection(root) ? 'unknown' : 'answered';
  if (isUnconfirmed(root)) return 'unknown';
  if (REFUSED_ON_ARRIVAL.has(root.code)) return isPartlyDone(error) ? 'unknown' : 'notExecuted';
  return root.hasErrorLabel('RetryableWriteError') || UNSETTLED.has(root.code) ? 'unknown' : 'answered';
}

/** Written, and not confirmed as the write concern asks: it may be rolled back. */
export function isUnconfirmed(error: MongoServerError): boolean {
  if (error instanceof MongoBulkWriteError) return error.result.getWriteConcernError() !== undefined;
  if (error instanceof MongoClientBulkWriteError) return error.writeConcernErrors.length > 0;
  return error.writeConcernError !== undefined;
}

/** The index that a duplicate key error names, `_id` for the primary one; null for any other error. */
export function duplicateIndexOf(error: {
  readonly code?: unknown;
  readonly message?: string | undefined;
}): string | null {
  if (error.code !== DUPLICATE_KEY) return null;
  const name = /E11000 duplicate key error collection: \S+ index: (\S+) dup key/.exec(error.message ?? '')?.[1];
  return name === undefined || name === '_id_' ? '_id' : name;
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BROKEN_CONNECTION.has(error.code);
}

function isClosed(error: unknown): boolean {
  return (
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoClientClosedError
  );
}

/** The driver divides a large bulk write into several commands; one of them may be done before the next is refused. */
function isPartlyDone(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) return hasWritten(error);
  return (
    error instanceof MongoClientBulkWriteError && error.partialResult !== undefined && hasWritten(error.partialResult)
  );
}

function hasWritten(
  result: Pick<ClientBulkWriteResult, 'insertedCount' | 'matchedCount' | 'deletedCount' | 'upsertedCount'>,
): boolean {
  return result.insertedCount + result.matchedCount + result.deletedCount + result.upsertedCount > 0;
}

/** The error that a failed bulk write wraps. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) return error.errorResponse;
  return error instanceof MongoServerError && error.cause instanceof MongoError ? error.cause : error;
}
