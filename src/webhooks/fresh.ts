import type { EventDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';

/** How many deliveries this process remembers between writing them and posting them, and for how long. */
const KEPT_MAX = 5_000;
const KEPT_MS = 30_000;

/**
 * Deliveries and their events as this process has just written them. Whoever takes one out has what a read would give, or
 * gave a moment ago: a write of another process since then is found out by the revision, as with what was read. Of more than
 * can be kept the later ones are left out, for the earlier ones are posted first.
 */
export class Fresh {
  readonly #docs = new Recent<ActorDoc>();
  readonly #events = new Recent<EventDoc>();

  /** An event that is in the log, for the delivery of it that is made next. */
  logged(event: EventDoc): void {
    this.#events.keep(event._id, event);
  }

  /** A delivery that is about to be posted. */
  begun(doc: ActorDoc): void {
    this.#docs.keep(doc._id, doc);
  }

  /** One that is not: what was written of it before is not to be posted, and its event is not needed. */
  over({ _id, attributes }: ActorDoc): void {
    this.#docs.take(_id);
    if (typeof attributes['eventId'] === 'string') this.#events.take(attributes['eventId']);
  }

  /** The delivery as of this revision, once. */
  take(id: string, rev: number): ActorDoc | null {
    const doc = this.#docs.take(id);
    return doc?.rev === rev ? doc : null;
  }

  takeEvent(id: string): EventDoc | null {
    return this.#events.take(id);
  }
}

/** By id, the oldest first. What nobody has taken in time makes room. */
class Recent<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly at: number }>();

  keep(id: string, value: T): void {
    const now = performance.now();
    for (const [old, { at }] of this.#kept) {
      if (now - at < KEPT_MS) break;
      this.#kept.delete(old);
    }
    if (this.#kept.size < KEPT_MAX) this.#kept.set(id, { value, at: now });
  }

  take(id: string): T | null {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    return kept?.value ?? null;
  }
}
