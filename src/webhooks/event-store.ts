import type { FaultHook } from '../engine/faults.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import { Coalescer } from '../store/coalesce.ts';
import type { EventDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import type { OneChange, Store } from '../store/port.ts';
import { type DeliveryMessage, decide } from './deliveries.ts';

/** A change of a delivery that lost this often against other processes is an error. */
const TRIES_MAX = 16;

/** The most changes in one write, and the most such writes under way. */
const CHANGES_MAX = 500;
const WRITES_MAX = 2;

/** The result of a message. `doc` is as stored. */
export type Taken =
  | { readonly kind: 'taken' | 'refused' | 'quarantined'; readonly doc: EventDoc }
  | { readonly kind: 'missing' };

/** Counts what happens to deliveries. Calls are cheap and never throw. */
export interface DeliveryMeters {
  delivery(mode: Mode, message: DeliveryMessage): void;
  quarantined(kind: 'delivery'): void;
}

export interface EventStoreDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly meters: DeliveryMeters;
  /** Called with every event that this process has stored. */
  readonly onInserted: (event: EventDoc) => void;
  /** Called with the event as stored after every change by this process. */
  readonly onChanged: (event: EventDoc) => void;
}

/** Stores events, and what happens to their deliveries: each change is one conditional update of one document. */
export class EventStore {
  readonly #deps: EventStoreDeps;
  readonly #changes: Coalescer<OneChange, boolean>;

  constructor(deps: EventStoreDeps) {
    this.#deps = deps;
    const { records } = deps.store;
    this.#changes = new Coalescer({
      maxSize: CHANGES_MAX,
      concurrency: WRITES_MAX,
      run: (changes) => records.changeMany('events', changes),
    });
  }

  /** Stores an event, with the message that made it if there is one. False: one with its id is stored already. */
  async insert(doc: EventDoc, message?: DeliveryMessage): Promise<boolean> {
    const [verdict] = await this.#deps.store.records.insert('events', [doc]);
    if (!verdict?.inserted) return false;
    await this.#deps.fault('delivery.stored.after', doc.event);
    if (message) this.#deps.meters.delivery(doc.mode, message);
    this.#deps.onInserted(doc);
    return true;
  }

  /** Changes a delivery. `seen`: the document as just read or written, to save a read; it never decides a refusal. */
  async take(id: string, message: DeliveryMessage, seen?: EventDoc): Promise<Taken> {
    for (let tries = 0, doc = seen; tries < TRIES_MAX; tries += 1, doc = undefined) {
      const [present] = doc ? [doc] : await this.#deps.store.records.get('events', [id]);
      if (!present) return { kind: 'missing' };
      if (present.quarantine !== null) return { kind: 'quarantined', doc: present };
      const next = await this.#decided(present, message);
      if (next === null && doc === undefined) return { kind: 'refused', doc: present };
      const changed = next && (await this.change(next, message));
      if (changed) return { kind: 'taken', doc: changed };
    }
    throw new Error(`${id} ${message.type}: lost ${TRIES_MAX} times against other writers`);
  }

  /** Stores a decision, and returns it as stored. null: the delivery has changed since it was read. */
  async change(decided: EventDoc, message: DeliveryMessage): Promise<EventDoc | null> {
    const { _id: id, status, attempt, madeBefore, attempts, looks, wakeAt, updatedAt } = decided;
    const rev = decided.rev + 1;
    const again = madeBefore === undefined ? {} : { madeBefore };
    const set = { status, attempt, ...again, attempts, looks, wakeAt, rev, updatedAt };
    const where = { rev: decided.rev, quarantine: null };
    if (!(await this.#changes.ask({ id, where, change: { set } }))) return null;
    const changed = { ...decided, rev };
    this.#deps.meters.delivery(changed.mode, message);
    this.#deps.onChanged(changed);
    return changed;
  }

  /** Quarantines a delivery: nothing changes it until somebody releases it. Reads still work. */
  async quarantine({ _id }: EventDoc, reason: string): Promise<void> {
    const { log, meters, store, clock } = this.#deps;
    log.error({ event: _id, reason }, 'quarantining a delivery: it is not made until somebody releases it');
    meters.quarantined('delivery');
    await store.records.change('events', _id, {}, { set: { quarantine: { at: clock(), reason } } });
  }

  /** As `decide`. Quarantines a delivery that is not sound, and throws. */
  async #decided(doc: EventDoc, message: DeliveryMessage): Promise<EventDoc | null> {
    try {
      return decide(doc, message, this.#deps.clock());
    } catch (error) {
      await this.quarantine(doc, `cannot take ${message.type}: ${messageOf(error)}`);
      throw error;
    }
  }
}
