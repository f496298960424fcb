import { messageOf } from '../../errors/message-of.ts';
import type { Log } from '../../observability/log.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { reserveOf } from './claim-changes.ts';
import type { ClaimDoc } from './claimants.ts';

type Named = Pick<ActorDoc, '_id' | 'kind' | 'merchantId'>;

/**
 * Reads documents, and some may be corrupted. Computations over many documents leave the corrupted ones out; the engine
 * quarantines them when it processes them.
 */
export class Readable {
  readonly #log: Log;
  readonly #logged = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** The result of `read`, or null if it throws. Logs each such document once. */
  read<D extends Named, T>(doc: D, read: (doc: D) => T): T | null {
    try {
      return read(doc);
    } catch (error) {
      this.#say(doc, error);
      return null;
    }
  }

  /** Whether the claims of a subscription can be computed. */
  hasClaims(doc: ClaimDoc): boolean {
    return this.read(doc, reserveOf) !== null;
  }

  #say({ _id, kind, merchantId }: Named, error: unknown): void {
    if (this.#logged.has(_id)) return;
    this.#logged.add(_id);
    this.#log.error(
      { id: _id, kind, merchantId, error: messageOf(error) },
      'a document cannot be read; computations go on without it',
    );
  }
}

const byLog = new WeakMap<Log, Readable>();

/** The instance for this log, shared so that each document is logged once. */
export function readableOf({ log }: { readonly log: Log }): Readable {
  const known = byLog.get(log) ?? new Readable(log);
  byLog.set(log, known);
  return known;
}
