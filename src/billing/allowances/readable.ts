import { messageOf } from '../../errors/message-of.ts';
import type { Log } from '../../observability/log.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { reserveOf } from './reserve-kind.ts';

/**
 * Documents of which some may be corrupted. What is computed for many at once goes on without those; they are quarantined where
 * they are worked on.
 */
export class Readable {
  readonly #log: Log;
  readonly #said = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** What `read` makes of the document; null: it throws. That is said in the log once for each document. */
  read<T>(doc: ActorDoc, read: (doc: ActorDoc) => T): T | null {
    try {
      return read(doc);
    } catch (error) {
      this.#say(doc, error);
      return null;
    }
  }

  /** Whether the claims of a subscription can be computed. */
  hasClaims(doc: ActorDoc): boolean {
    return this.read(doc, reserveOf) !== null;
  }

  #say({ _id, kind, merchantId }: ActorDoc, error: unknown): void {
    if (this.#said.has(_id)) return;
    this.#said.add(_id);
    this.#log.error({ id: _id, kind, merchantId, error: messageOf(error) }, 'document cannot be read; it is left out');
  }
}

const byLog = new WeakMap<Log, Readable>();

/** One for all who write to this log: none of them says again what another has said. */
export function readableOf({ log }: { readonly log: Log }): Readable {
  const known = byLog.get(log) ?? new Readable(log);
  byLog.set(log, known);
  return known;
}
