/** A value, a filter or a change that must not reach the database. The message names the path. Always a programming error. */
export class Unstorable extends TypeError {
  override readonly name = 'Unstorable';
}

/** A change that would have made two documents share the key of a unique index. Nothing of it was made. */
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

/** The database does not answer. What was asked has not been done. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** The answer to a write was lost, and it could not be found out whether it was made: read before doing it again. */
export class UnknownOutcome extends StoreUnavailable {
  override readonly name = 'UnknownOutcome';
}
