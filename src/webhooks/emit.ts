import {
  type AttemptRecord,
  deliveryContext,
  deliveryWithoutEndpoint,
  newDelivery,
} from '../../machines/delivery/context.ts';
import type { EffectOf } from '../../machines/effects.ts';
import { MACHINES } from '../../machines/versions.ts';
import type { Engine } from '../engine/engine.ts';
import type { Create, EffectHandler, EffectItem, EffectResult } from '../engine/types.ts';
import { newestState } from '../engine/upcast.ts';
import { derivedId } from '../ids.ts';
import type { EventDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { withoutEndpoint } from './attempt.ts';
import { BY_WEBHOOKS, deliveryIdOf, giveTurn } from './deliveries.ts';
import { effectiveUrl } from './effective-url.ts';

type Item = EffectItem<EffectOf<'webhook.emit'>>;

export interface EmitDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly engine: Pick<Engine, 'create' | 'dispatch'>;
  readonly clock: () => Date;
  /** Hears of the events that have been logged here. */
  readonly onLogged?: (events: readonly EventDoc[]) => void;
}

/** One event on its way into the log, and what has become of it so far. */
interface Emission {
  readonly event: EventDoc;
  readonly deliveryId: string;
  /** The delivery as just made; null: it was there already. */
  made: ActorDoc | null;
  /** Its first attempt has ended, so that the one after it may start. */
  hasEnded: boolean;
  result: EffectResult;
}

/**
 * The handler of `webhook.emit`: the event goes into the log, its delivery is made, and gets its turn if the one before it
 * has had its own. Each is made once, however often this runs.
 *
 * A delivery starts when the first attempt of the one before it has ended. Two look for that, each after its own write: this
 * handler after the delivery was made, and the handler of `delivery.next` after the first attempt of the one before ended.
 * Whichever of the two writes came last, the look that follows it sees both; so no delivery is left behind, and none starts
 * before there was something to see.
 *
 * Where no URL is in force, and its turn has come by the time it is made, there is nothing to start: it is made as one that
 * has ended, in one write.
 */
export function emitHandler(deps: EmitDeps): EffectHandler<EffectOf<'webhook.emit'>> {
  return async (items) => {
    const emissions = items.map(emissionOf);
    await logEvents(deps, emissions);
    await makeDeliveries(deps, open(emissions));
    await giveTurns(deps, open(emissions));
    return emissions.map(({ result }) => result);
  };
}

function emissionOf({ id, at, sequence, source, effect }: Item): Emission {
  const number = sequence ?? 0;
  const event: EventDoc = {
    _id: derivedId('evt', at, id),
    merchantId: source.merchantId,
    mode: source.mode,
    resourceId: source.id,
    sequence: number,
    event: effect.event,
    createdAt: at,
    data: effect.data,
  };
  const result: EffectResult = number > 0 ? 'done' : { failed: new Error(`${id}: an event without a number`) };
  return { event, deliveryId: deliveryIdOf(source.id, number), made: null, hasEnded: false, result };
}

function open(emissions: readonly Emission[]): Emission[] {
  return emissions.filter(({ result }) => result === 'done');
}

async function logEvents({ store, onLogged }: EmitDeps, emissions: readonly Emission[]): Promise<void> {
  const sound = open(emissions);
  const verdicts = await store.records.insert(
    'events',
    sound.map(({ event }) => event),
  );
  for (const [index, emission] of sound.entries()) {
    const verdict = verdicts[index];
    if (verdict?.inserted || verdict?.index === '_id') continue;
    emission.result = { failed: new Error(`${emission.event._id}: ${verdict?.index ?? 'no verdict'} is taken`) };
  }
  onLogged?.(sound.filter((_, index) => verdicts[index]?.inserted).map(({ event }) => event));
}

async function makeDeliveries(deps: EmitDeps, emissions: readonly Emission[]): Promise<void> {
  const { store, engine, clock } = deps;
  const over = await withNothingToStart(store, emissions);
  const { record } = withoutEndpoint(1, clock());
  const births = emissions.map((emission) => newbornOf(emission, over.has(emission) ? record : null));
  const made = await engine.create('delivery', births);
  for (const [index, emission] of emissions.entries()) {
    const verdict = made[index];
    if (verdict?.kind !== 'created') continue;
    emission.made = verdict.doc;
    emission.hasEnded = hasEndedFirstAttempt(verdict.doc);
  }
  const present = emissions.filter((emission) => emission.made === null);
  const docs = await loadAll(store, present);
  for (const emission of present) {
    const doc = docs.get(emission.deliveryId);
    if (doc?.attributes['eventId'] === emission.event._id) {
      emission.hasEnded = hasEndedFirstAttempt(doc);
      continue;
    }
    const { _id, resourceId, sequence } = emission.event;
    emission.result = { failed: new Error(`${_id}: number ${sequence} of ${resourceId} belongs to another event`) };
  }
}

/** Those whose turn it is while no URL is in force. */
async function withNothingToStart(
  store: EmitDeps['store'],
  emissions: readonly Emission[],
): Promise<ReadonlySet<Emission>> {
  const ids = new Set(emissions.map(({ event }) => event.merchantId));
  const merchants = await store.records.get('merchants', [...ids]);
  const settingsOf = new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
  const unaddressed = emissions.filter(({ event }) => {
    const settings = settingsOf.get(event.merchantId);
    return settings !== undefined && effectiveUrl(settings, event.mode) === null;
  });
  return new Set(await inTurn(store, unaddressed));
}

/** Those before which no other stands whose first attempt has not ended. */
async function inTurn(store: EmitDeps['store'], emissions: readonly Emission[]): Promise<Emission[]> {
  const later = emissions.filter(({ event }) => event.sequence > 1);
  const before = await store.actors.load('delivery', later.map(idBefore));
  const begun = new Set(before.filter(hasEndedFirstAttempt).map((doc) => doc._id));
  return emissions.filter((emission) => emission.event.sequence === 1 || begun.has(idBefore(emission)));
}

/** `ended`: its first attempt, where that is over before it is made. */
function newbornOf({ event, deliveryId }: Emission, ended: AttemptRecord | null): Create {
  const { _id, merchantId, mode, resourceId, sequence } = event;
  const delivery = { id: deliveryId, eventId: _id, resourceId, sequence };
  return {
    kind: 'delivery',
    id: deliveryId,
    merchantId,
    mode,
    attributes: { eventId: _id, resourceId, sequence, event: event.event },
    context: ended === null ? newDelivery(delivery) : deliveryWithoutEndpoint(delivery, ended),
    by: BY_WEBHOOKS,
  };
}

async function giveTurns({ store, engine }: EmitDeps, emissions: readonly Emission[]): Promise<void> {
  const over = emissions.filter(({ hasEnded }) => hasEnded);
  const [mine, next] = await Promise.all([
    inTurn(
      store,
      emissions.filter(({ hasEnded }) => !hasEnded),
    ),
    store.actors.load('delivery', over.map(idAfter)),
  ]);
  const waiting = new Set(next.filter((doc) => !hasEndedFirstAttempt(doc)).map((doc) => doc._id));
  await Promise.all([
    ...mine.map(async (emission) => {
      emission.result = await giveTurn(engine, emission.deliveryId, emission.made ?? undefined);
    }),
    ...over
      .filter((emission) => waiting.has(idAfter(emission)))
      .map(async (emission) => {
        emission.result = await giveTurn(engine, idAfter(emission));
      }),
  ]);
}

function idBefore({ event }: Emission): string {
  return deliveryIdOf(event.resourceId, event.sequence - 1);
}

function idAfter({ event }: Emission): string {
  return deliveryIdOf(event.resourceId, event.sequence + 1);
}

function hasEndedFirstAttempt(doc: ActorDoc): boolean {
  return (deliveryContext.safeParse(newestState(MACHINES, doc).context).data?.attempts.length ?? 0) > 0;
}

async function loadAll(store: EmitDeps['store'], emissions: readonly Emission[]): Promise<Map<string, ActorDoc>> {
  const docs = await store.actors.load(
    'delivery',
    emissions.map(({ deliveryId }) => deliveryId),
  );
  return new Map(docs.map((doc) => [doc._id, doc]));
}
