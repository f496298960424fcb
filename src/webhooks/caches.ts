import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';

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

/** How long a read may be used, in milliseconds. */
const RECENT_MS = 100;

/**
 * `asOf` is a moment of the process's monotonic clock, in milliseconds. `settings` null: they were changed since the
 * last read.
 */
interface Known {
  readonly asOf: number;
  readonly settings: WebhookSettings | null;
}

/** A short cache of merchants' webhook settings, so that events that occur together share one read. */
export class RecentSettings {
  readonly #records: Pick<Store['records'], 'get'>;
  /** The process's monotonic clock, in milliseconds. */
  readonly #now: () => number;
  /** By merchant, the oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(records: Pick<Store['records'], 'get'>, now: () => number = () => performance.now()) {
    this.#records = records;
    this.#now = now;
  }

  /** Reads the stored settings, by merchant. A merchant that does not exist is missing. */
  async read(merchantIds: readonly string[]): Promise<ReadonlyMap<string, WebhookSettings>> {
    if (merchantIds.length === 0) return new Map();
    const asOf = this.#now();
    const merchants = await this.#records.get('merchants', merchantIds);
    for (const { _id, webhook } of merchants) this.#keep(_id, { asOf, settings: webhook });
    return new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
  }

  /** The settings as of `moment` or later, if read within the last 100 ms; null if they have to be read. */
  since(merchantId: string, moment: number): WebhookSettings | null {
    const known = this.#known.get(merchantId);
    if (!known || known.asOf < moment || this.#isOld(known)) return null;
    return known.settings;
  }

  /** Invalidates the settings after a change by this process, including reads under way. */
  changed(merchantId: string): void {
    this.#known.delete(merchantId);
    this.#keep(merchantId, { asOf: this.#now(), settings: null });
  }

  #keep(merchantId: string, known: Known): void {
    for (const [id, old] of this.#known) {
      if (!this.#isOld(old)) break;
      this.#known.delete(id);
    }
    const present = this.#known.get(merchantId);
    if (present && present.asOf >= known.asOf) return;
    this.#known.delete(merchantId);
    this.#known.set(merchantId, known);
  }

  #isOld({ asOf }: Known): boolean {
    return this.#now() - asOf > RECENT_MS;
  }
}
