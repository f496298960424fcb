import { MongoServerError, type WriteConcernSettings } from 'mongodb';
import { checkValue } from '../guard.ts';
import type { CounterStore } from '../port.ts';
import type { Places } from './collections.ts';
import type { Connection } from './connection.ts';
import { duplicateIndexOf } from './failures.ts';

/** A count that a crash loses is a few calls more: not worth waiting for the journal. */
const QUICK: WriteConcernSettings = { w: 1, journal: false };

/** Counters that MongoDB's own monitor deletes within a minute of their end. */
export class MongoCounters implements CounterStore {
  readonly #connection: Connection;
  readonly #rows: Places['counters'];

  constructor(connection: Connection, places: Places) {
    this.#connection = connection;
    this.#rows = places.counters;
  }

  async add(key: string, n: number, expiresAt: Date): Promise<number> {
    checkValue(n, `counter ${key}.n`);
    checkValue(expiresAt, `counter ${key}.expiresAt`);
    for (;;) {
      const count = await this.#connection.write(`count ${key}`, () => this.#add(key, n, expiresAt));
      if (count !== null) return count;
    }
  }

  /** Null when another call made the document between this one's look and its insert: then it is there now. */
  async #add(key: string, n: number, expiresAt: Date): Promise<number | null> {
    try {
      const after = await this.#rows.findOneAndUpdate(
        { _id: key },
        { $inc: { n }, $setOnInsert: { expiresAt } },
        { upsert: true, returnDocument: 'after', projection: { n: 1 }, writeConcern: QUICK },
      );
      return after?.['n'] ?? null;
    } catch (error) {
      if (error instanceof MongoServerError && duplicateIndexOf(error) === '_id') return null;
      throw error;
    }
  }
}
