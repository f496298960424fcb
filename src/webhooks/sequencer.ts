import type { EventDoc, EventFacts } from '../store/collections.ts';
import type { Store } from '../store/port.ts';
import { eventIdOf } from './deliveries.ts';
import type { WebhookParts } from './parts.ts';

/** What distinguishes one event of a resource from the others. */
type Numbered = Pick<EventFacts, 'resourceId' | 'sequence'>;

/**
 * The sequencer: first attempts of one resource start in the order of their numbers, each after the previous one ended
 * (docs/rules.md, "Webhooks"). This is checked twice, each time after a write: when a queued event is stored, and at
 * the end of the previous event's first attempt. The check after the later write sees both. If a process dies between
 * its write and its check, the queued delivery checks by itself a little later (`delivery.due`).
 */
export class Sequencer {
  readonly #parts: Pick<WebhookParts, 'store' | 'events' | 'log'>;
  /** Ids of events to check, and of those whose first attempt has ended. */
  #due = new Set<string>();
  #ended = new Set<string>();
  #pumping = false;

  constructor(parts: Pick<WebhookParts, 'store' | 'events' | 'log'>) {
    this.#parts = parts;
  }

  /** Call with every event that this process has stored or changed. */
  stored(event: EventDoc): void {
    const { _id, resourceId, sequence, attempts, status } = event;
    if (isQueued(event)) for (const id of [_id, ...idBefore(event)]) this.#due.add(id);
    else if (attempts.length !== 1 || status === 'sending') return;
    else {
      this.#ended.add(_id);
      this.#due.add(eventIdOf(resourceId, sequence + 1));
    }
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => void this.#pump());
  }

  isBusy(): boolean {
    return this.#pumping;
  }

  async #pump(): Promise<void> {
    const { store, events, log } = this.#parts;
    while (this.#due.size > 0) {
      const [due, ended] = [this.#due, this.#ended];
      [this.#due, this.#ended] = [new Set(), new Set()];
      try {
        const found = byId(await store.records.get('events', [...due]));
        const ready = [...found.values()].filter((event) => {
          return isQueued(event) && (hasTurn(event, found) || idBefore(event).some((id) => ended.has(id)));
        });
        await Promise.all(ready.map((event) => events.take(event._id, { type: 'turn.came' }, event)));
      } catch (error) {
        log.warn(
          { err: error, deliveries: due.size },
          'the next deliveries could not be started; each checks its turn when it is due',
        );
      }
    }
    this.#pumping = false;
  }
}

/** The stored events before these, by id. */
export async function eventsBefore(
  { records }: Pick<Store, 'records'>,
  all: readonly Numbered[],
): Promise<ReadonlyMap<string, EventDoc>> {
  return byId(await records.get('events', all.flatMap(idBefore)));
}

/** The id of the event before it; none: it is the first. */
export function idBefore({ resourceId, sequence }: Numbered): string[] {
  return sequence > 1 ? [eventIdOf(resourceId, sequence - 1)] : [];
}

export function byId(events: readonly EventDoc[]): ReadonlyMap<string, EventDoc> {
  return new Map(events.map((event) => [event._id, event]));
}

/** True for the first event of a resource, and if the one before it has ended its first attempt. */
export function hasTurn(one: Numbered, before: ReadonlyMap<string, EventDoc>): boolean {
  return idBefore(one).every((id) => (before.get(id)?.attempts.length ?? 0) > 0);
}

export function isQueued({ status }: EventDoc): boolean {
  return status === 'queued';
}
