import { deliveryContext } from '../../machines/delivery/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { newestState } from '../engine/upcast.ts';
import type { ActorDoc, StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { BY_WEBHOOKS, deliveryIdOf } from './deliveries.ts';
import type { WebhookParts } from './parts.ts';

/** What distinguishes one delivery of a resource from the others. */
export interface Numbered {
  readonly resourceId: string;
  readonly sequence: number;
}

/**
 * The sequencer: first attempts of one resource start in the order of their numbers, each after the previous one ended
 * (docs/rules.md, "Webhooks"). This is checked twice, each time after its own write: the creation of a delivery, and,
 * here, the end of the previous delivery's first attempt. The check after the later write sees both. If a process dies
 * between its write and its check, the queued delivery checks by itself a little later (`delivery.due`).
 */
export class Sequencer {
  readonly #parts: WebhookParts;
  #ended: string[] = [];
  #pumping = false;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** Call with every committed delivery that is not being sent. */
  committed(doc: ActorDoc): void {
    const { resourceId, sequence } = doc.attributes;
    if (typeof resourceId !== 'string' || typeof sequence !== 'number' || !hasOneAttempt(doc)) return;
    this.#ended.push(deliveryIdOf(resourceId, sequence + 1));
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => void this.#pump());
  }

  isBusy(): boolean {
    return this.#pumping;
  }

  async #pump(): Promise<void> {
    while (this.#ended.length > 0) {
      const next = this.#ended.splice(0);
      try {
        const docs = await this.#parts.store.actors.load('delivery', next);
        await Promise.all(docs.filter(isQueued).map((doc) => startFirstAttempt(this.#parts.engine, doc)));
      } catch (error) {
        this.#parts.log.warn(
          { err: error, deliveries: next.length },
          'the next deliveries could not be started; each checks its turn when it is due',
        );
      }
    }
    this.#pumping = false;
  }
}

/** The attempts alone suffice: this process has just written the document. */
function hasOneAttempt(doc: ActorDoc): boolean {
  const { attempts } = newestState(MACHINES, doc).context;
  return Array.isArray(attempts) && attempts.length === 1;
}

/**
 * The deliveries that may begin: the first of their resource, and those whose previous one has ended its first attempt.
 */
export async function nextInSequence<T extends Numbered>(
  store: Pick<Store, 'actors'>,
  all: readonly T[],
): Promise<Set<T>> {
  const later = all.filter(({ sequence }) => sequence > 1);
  const before = later.length === 0 ? [] : await store.actors.load('delivery', later.map(idBefore));
  const begun = new Set(before.filter(hasEndedFirstAttempt).map((doc) => doc._id));
  return new Set(all.filter((one) => one.sequence === 1 || begun.has(idBefore(one))));
}

/** Idempotent. */
export async function startFirstAttempt(engine: WebhookParts['engine'], seen: StoredActor): Promise<void> {
  await engine.dispatch({ kind: 'delivery', id: seen._id, event: { type: 'turn.came' }, by: BY_WEBHOOKS, seen });
}

/** `turn.came`: it was not notified, and is to begin now. */
export interface DeliveryWake {
  readonly type: 'turn.came' | 'delivery.due';
}

/** The event that each due delivery gets: the turn of a queued one may have come by now. */
export async function deliveryWakes(
  store: Pick<Store, 'actors'>,
  docs: readonly ActorDoc[],
): Promise<ReadonlyMap<string, DeliveryWake>> {
  const queued = docs.filter(isQueued).flatMap((doc) => {
    const context = contextOf(doc);
    return context ? [{ id: doc._id, resourceId: context.resourceId, sequence: context.sequence }] : [];
  });
  const ready = new Set([...(await nextInSequence(store, queued))].map(({ id }) => id));
  return new Map(docs.map(({ _id }) => [_id, { type: ready.has(_id) ? 'turn.came' : 'delivery.due' }]));
}

export function isQueued({ status }: ActorDoc): boolean {
  return status === 'queued';
}

function hasEndedFirstAttempt(doc: ActorDoc): boolean {
  return (contextOf(doc)?.attempts.length ?? 0) > 0;
}

function contextOf(doc: ActorDoc) {
  return deliveryContext.safeParse(newestState(MACHINES, doc).context).data;
}

function idBefore({ resourceId, sequence }: Numbered): string {
  return deliveryIdOf(resourceId, sequence - 1);
}
