import type { EventDoc } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';

/** The most deliveries kept between their write and their post, and how long, in milliseconds. */
const KEPT_MAX = 5_000;
const KEPT_MS = 30_000;

/**
 * A cache of deliveries and events that this process has just written. An entry equals a recent read: its revision
 * shows a later write by another process. When the cache is full, new entries are dropped, because the older ones are
 * posted first.
 */
export class DeliveryCache {
  readonly #docs = new Recent<StoredActor>();
  readonly #events = new Recent<EventDoc>();

  /** Keeps a logged event for its delivery, which is created next. */
  logged(event: EventDoc): void {
    this.#events.keep(event._id, event);
  }

  /** Keeps a delivery that is about to be posted. */
  begun(doc: StoredActor): void {
    this.#docs.keep(doc._id, doc);
  }

  /** Removes a delivery that will not be posted now, and its event. */
  over({ _id, attributes }: StoredActor): void {
    this.#docs.take(_id);
    if (typeof attributes['eventId'] === 'string') this.#events.take(attributes['eventId']);
  }

  /** Removes and returns the delivery if it has this revision. */
  take(id: string, rev: number): StoredActor | null {
    const doc = this.#docs.take(id);
    return doc?.rev === rev ? doc : null;
  }

  takeEvent(id: string): EventDoc | null {
    return this.#events.take(id);
  }
}

/** By id, the oldest first. Entries older than `KEPT_MS` are dropped. */
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
