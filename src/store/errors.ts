/**
 * A value, filter or change that must not reach the database. The message names the path. Always a programming error.
 */
export class Unstorable extends TypeError {
  override readonly name = 'Unstorable';
}

/** The change would give two documents the same key of a unique index. Nothing was changed. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly collection: string;
  readonly id: string;
  /** The name in `indexes.ts`, or `_id`. */
  readonly index: string;

  constructor(collection: string, id: string, index: string) {
    super(`${collection} ${id}: another document has this key of the unique index '${index}'`);
    this.collection = collection;
    this.id = id;
    this.index = index;
  }
}

/** The database does not answer. The operation was not done. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** The answer to a write was lost, and its outcome is unknown: read before you repeat it. */
export class UnknownOutcome extends StoreUnavailable {
  override readonly name = 'UnknownOutcome';
}
