import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

const DUPLICATE_KEY = 11000;

/** Codes of a server that steps down, shuts down or could not confirm: unknown whether the write stays. */
const UNSETTLED: ReadonlySet<unknown> = new Set([
  6, 7, 64, 89, 91, 134, 189, 262, 317, 358, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** The database never got it: no server could be selected, or all connections failed before one was free. */
export function wasNeverSent(error: unknown): boolean {
  return rootOf(error) instanceof MongoServerSelectionError || wasTakenBack(error) || isClosed(error);
}

/** It waited for a connection when the failure of another one emptied the pool. The driver does not export the class. */
export function wasTakenBack(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof MongoNetworkError && root.name === 'MongoPoolClearedError';
}

/** This process has closed the client. */
export function isClosed(error: unknown): boolean {
  const root = rootOf(error);
  return (
    root instanceof MongoTopologyClosedError ||
    root instanceof MongoNotConnectedError ||
    root instanceof MongoClientClosedError
  );
}

/** No answer, or an answer that leaves open whether the write is durable. */
export function isUnanswered(error: unknown): boolean {
  const root = rootOf(error);
  if (root instanceof MongoNetworkError || root instanceof MongoServerSelectionError) return true;
  if (!(root instanceof MongoServerError)) return false;
  return root.hasErrorLabel('RetryableWriteError') || UNSETTLED.has(root.code) || root.writeConcernError !== undefined;
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

/** The error that a failed bulk write wraps. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) return error.errorResponse;
  return error instanceof MongoServerError && error.cause instanceof MongoError ? error.cause : error;
}
