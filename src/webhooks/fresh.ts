import type { EventDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';

/** How many deliveries this process remembers between writing them and posting them, and for how long. */
const KEPT_MAX = 5_000;
const KEPT_MS = 30_000;

/** What has just been written, so that it need not be read again. */
interface Written {
  readonly doc: ActorDoc;
  readonly at: number;
}

/**
 * Deliveries and their events as this process has just written them. Whoever takes one out has what a read would give, or
 * gave a moment ago: a write of another process since then is found out by the revision, as with what was read. Of more than
 * can be kept the later ones are left out, for the earlier ones are posted first.
 */
export class Fresh {
  readonly #docs = new Map<string, Written>();
  readonly #events = new Map<string, EventDoc>();

  /** An event that is in the log; it goes with its delivery. */
  logged(event: EventDoc): void {
    if (this.#events.size < KEPT_MAX) this.#events.set(event._id, event);
  }

  /** A delivery that is about to be posted. */
  begun(doc: ActorDoc): void {
    const now = performance.now();
    this.#dropOld(now);
    if (this.#docs.size < KEPT_MAX) this.#docs.set(doc._id, { doc, at: now });
  }

  /** The delivery as of this revision, once. */
  take(id: string, rev: number): ActorDoc | null {
    const written = this.#docs.get(id);
    this.#docs.delete(id);
    return written?.doc.rev === rev ? written.doc : null;
  }

  /** It has moved on: what was written before is not to be posted. */
  over({ _id }: ActorDoc): void {
    this.#docs.delete(_id);
  }

  takeEvent(id: string): EventDoc | null {
    const event = this.#events.get(id);
    this.#events.delete(id);
    return event ?? null;
  }

  #dropOld(now: number): void {
    for (const [id, { doc, at }] of this.#docs) {
      if (now - at < KEPT_MS) return;
      this.#docs.delete(id);
      const { eventId } = doc.attributes;
      if (typeof eventId === 'string') this.#events.delete(eventId);
    }
  }
}
