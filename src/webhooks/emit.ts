import { begunDelivery, queuedDelivery } from '../../machines/delivery.ts';
import type { EffectOf } from '../../machines/effects.ts';
import { type EffectEnd, type EffectItem, type EffectResult, type EffectSource, troubleOf } from '../engine/types.ts';
import type { EventDoc, EventFacts, WebhookSettings } from '../store/collections.ts';
import { withoutEndpoint } from './attempt.ts';
import { type DeliveryMessage, decide, effectiveUrl, eventIdOf, newEvent } from './deliveries.ts';
import type { FirstAttempt } from './first-attempts.ts';
import type { WebhookParts } from './parts.ts';
import { byId, hasTurn, idBefore } from './sequencer.ts';

export type EmitItem = EffectItem<EffectOf<'webhook.emit'>>;

/** The parts of an effect that make its event. */
type Emitted = Pick<EmitItem, 'at' | 'sequence' | 'effect'> & {
  readonly source: Omit<EffectSource, 'collection' | 'relayAt'>;
};

export interface EmitDeps extends WebhookParts {
  /** Starts a first attempt before its event is stored. Returns false if the event has to be stored first. */
  readonly begin: (first: FirstAttempt) => boolean;
  /** Makes the attempt of a stored event. */
  readonly send: (event: EventDoc) => void;
  /** By id, the events that this process stores later, each with the end of its effect. */
  readonly underWay: Map<string, Promise<EffectEnd>>;
}

/**
 * A first attempt before its event is stored needs this time, in milliseconds. If another process may run the outbox
 * earlier, the event is stored first, so that only the process that stores it posts it.
 */
const OWN_MS = 1_000;

/**
 * Runs `webhook.emit`. An event whose turn has come is posted, and stored with the outcome (`FirstAttempts`). The
 * events behind it wait for that, so that none is in the log before it. Any other event is stored first. Each is stored
 * once, however often this runs.
 */
export async function emit(deps: EmitDeps, items: readonly EmitItem[]): Promise<EffectResult[]> {
  const begunAt = performance.now();
  const all = items.map((item) => ({ item, facts: factsOf(item) }));
  const [known, settings] = await Promise.all([
    deps.store.records.get(
      'events',
      all.flatMap(({ facts }) => [facts._id, ...idBefore(facts)]),
    ),
    deps.settings.read([...new Set(all.map(({ facts }) => facts.merchantId))]),
  ]);
  const stored = byId(known);
  const emitted = all.map(({ item, facts }): EffectResult | Promise<EffectResult> => {
    if (facts.sequence === 0) return { failed: new Error(`${item.id}: the event has no sequence number`) };
    const present = stored.get(facts._id);
    if (present) return resultOf(facts, present);
    const [before] = idBefore(facts).flatMap((id) => deps.underWay.get(id) ?? []);
    if (before)
      return noted(
        deps,
        facts,
        before.then((end) => (end === 'done' ? emitAgain(deps, item) : end)),
      );
    const own = settings.get(facts.merchantId) ?? null;
    return hasTurn(facts, stored) ? begun(deps, item, own, begunAt) : inserted(deps, queuedEvent(deps, facts));
  });
  return Promise.all(emitted);
}

/** Notes that an event is stored later. */
function noted({ underWay }: EmitDeps, { _id }: EventFacts, later: Promise<EffectEnd>): EffectResult {
  underWay.set(_id, later);
  const forget = () => {
    if (underWay.get(_id) === later) underWay.delete(_id);
  };
  later.then(forget, forget);
  return { later };
}

async function emitAgain(deps: EmitDeps, item: EmitItem): Promise<EffectEnd> {
  const [result = 'done'] = await emit(deps, [item]);
  return typeof result === 'object' && 'later' in result ? result.later : result;
}

function queuedEvent({ clock }: EmitDeps, facts: EventFacts): EventDoc {
  const now = clock();
  return newEvent(facts, queuedDelivery(now.toISOString()), now);
}

/** The event of an effect. `source`: the document that has it in its outbox. */
export function factsOf({ at, sequence, source, effect }: Emitted): EventFacts {
  const number = sequence ?? 0;
  return {
    _id: eventIdOf(source.id, number),
    merchantId: source.merchantId,
    mode: source.mode,
    resourceId: source.id,
    sequence: number,
    event: effect.event,
    createdAt: at,
    data: effect.data,
  };
}

/** The result for an event whose id is stored. Conditional writes assign the numbers, so another event is a bug. */
function resultOf(facts: EventFacts, present: EventDoc | undefined): EffectResult {
  if (present?.event === facts.event && present.createdAt.getTime() === facts.createdAt.getTime()) return 'done';
  return {
    failed: new Error(`${facts._id}: number ${facts.sequence} of ${facts.resourceId} belongs to another event`),
  };
}

function begun(
  deps: EmitDeps,
  item: EmitItem,
  settings: WebhookSettings | null,
  begunAt: number,
): EffectResult | Promise<EffectResult> {
  const now = deps.clock();
  const event = newEvent(factsOf(item), begunDelivery(now.toISOString()), now);
  if (settings && effectiveUrl(settings, event.mode) === null) {
    const message = withoutEndpoint(1, now);
    return inserted(deps, decide(event, message, now) ?? event, message);
  }
  const isOwn = Number(item.source.relayAt) - now.getTime() >= OWN_MS;
  let settle: (end: EffectEnd) => void = () => {};
  const later = new Promise<EffectEnd>((resolve) => {
    settle = resolve;
  });
  return isOwn && deps.begin({ event, begunAt, settle }) ? noted(deps, event, later) : inserted(deps, event);
}

async function inserted(deps: EmitDeps, event: EventDoc, message?: DeliveryMessage): Promise<EffectResult> {
  const { events, store, send } = deps;
  try {
    if (await events.insert(event, message)) {
      if (event.status === 'sending') send(event);
      return 'done';
    }
    const [present] = await store.records.get('events', [event._id]);
    return resultOf(event, present);
  } catch (error) {
    return troubleOf(error);
  }
}
