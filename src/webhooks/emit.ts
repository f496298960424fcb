import {
  type DeliveryContext,
  deliveryInTurn,
  deliveryWithoutEndpoint,
  type NewDelivery,
  newDelivery,
} from '../../machines/delivery/context.ts';
import type { EffectOf } from '../../machines/effects.ts';
import type { Engine } from '../engine/engine.ts';
import type { Create, EffectHandler, EffectItem, EffectResult } from '../engine/types.ts';
import { derivedId } from '../ids.ts';
import type { EventDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { withoutEndpoint } from './attempt.ts';
import { BY_WEBHOOKS, deliveryIdOf } from './deliveries.ts';
import { effectiveUrl } from './effective-url.ts';
import type { Fresh } from './fresh.ts';
import { giveTurn, inTurn, isQueued, type Numbered } from './turns.ts';

type Item = EffectItem<EffectOf<'webhook.emit'>>;

export interface EmitDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly engine: Pick<Engine, 'create' | 'dispatch'>;
  readonly clock: () => Date;
  readonly fresh: Fresh;
  /** Hears of the events that have been logged here. */
  readonly onLogged?: (events: readonly EventDoc[]) => void;
}

/** One event on its way into the log, and what has become of it so far. */
interface Emission extends Numbered {
  readonly event: EventDoc;
  readonly deliveryId: string;
  result: EffectResult;
}

/**
 * The handler of `webhook.emit`: the event goes into the log, and its delivery is made. Each is made once, however often this
 * runs. Whether the one before it has had its first attempt is looked at before the delivery is made, which then begins at
 * once, or has ended where no URL is in force; else again after it was made, for its turn may have come meanwhile (`turns.ts`).
 */
export function emitHandler(deps: EmitDeps): EffectHandler<EffectOf<'webhook.emit'>> {
  return async (items) => {
    const emissions = items.map(emissionOf);
    await logEvents(deps, emissions);
    await giveTurns(deps, await makeDeliveries(deps, open(emissions)));
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
  return { event, resourceId: source.id, sequence: number, deliveryId: deliveryIdOf(source.id, number), result };
}

function open(emissions: readonly Emission[]): Emission[] {
  return emissions.filter(({ result }) => result === 'done');
}

async function logEvents({ store, fresh, onLogged }: EmitDeps, emissions: readonly Emission[]): Promise<void> {
  const sound = open(emissions);
  const verdicts = await store.records.insert(
    'events',
    sound.map(({ event }) => event),
  );
  for (const [index, emission] of sound.entries()) {
    const verdict = verdicts[index];
    if (verdict?.inserted) fresh.logged(emission.event);
    if (verdict?.inserted || verdict?.index === '_id') continue;
    emission.result = { failed: new Error(`${emission.event._id}: ${verdict?.index ?? 'no verdict'} is taken`) };
  }
  onLogged?.(sound.filter((_, index) => verdicts[index]?.inserted).map(({ event }) => event));
}

/** Resolves with those whose deliveries are there and wait for their turn. */
async function makeDeliveries(deps: EmitDeps, emissions: readonly Emission[]): Promise<Waiting[]> {
  const { store, engine, clock } = deps;
  const [turns, unaddressed] = await Promise.all([inTurn(store, emissions), withoutUrl(store, emissions)]);
  const { record } = withoutEndpoint(1, clock());
  const births = emissions.map((emission) => {
    const delivery = numbersOf(emission);
    if (!turns.has(emission)) return newbornOf(emission, newDelivery(delivery));
    const isOver = unaddressed.has(emission);
    return newbornOf(emission, isOver ? deliveryWithoutEndpoint(delivery, record) : deliveryInTurn(delivery));
  });
  const made = await engine.create('delivery', births);
  const docs = new Map<Emission, ActorDoc>();
  for (const [index, emission] of emissions.entries()) {
    const verdict = made[index];
    if (verdict?.kind === 'created') docs.set(emission, verdict.doc);
  }
  const present = emissions.filter((emission) => !docs.has(emission));
  for (const [emission, doc] of await findPresent(store, present)) docs.set(emission, doc);
  return [...docs].flatMap(([emission, doc]) => (isQueued(doc) ? [{ ...numbersOf(emission), emission, doc }] : []));
}

interface Waiting extends Numbered {
  readonly emission: Emission;
  readonly doc: ActorDoc;
}

/** Those that were there before, of the very same events. */
async function findPresent(
  store: EmitDeps['store'],
  emissions: readonly Emission[],
): Promise<ReadonlyMap<Emission, ActorDoc>> {
  if (emissions.length === 0) return new Map();
  const docs = await store.actors.load(
    'delivery',
    emissions.map(({ deliveryId }) => deliveryId),
  );
  const docOf = new Map(docs.map((doc) => [doc._id, doc]));
  const found = new Map<Emission, ActorDoc>();
  for (const emission of emissions) {
    const doc = docOf.get(emission.deliveryId);
    const { _id, resourceId, sequence } = emission.event;
    if (doc?.attributes['eventId'] === _id) found.set(emission, doc);
    else
      emission.result = { failed: new Error(`${_id}: number ${sequence} of ${resourceId} belongs to another event`) };
  }
  return found;
}

/** Those of merchants for which no URL is in force. */
async function withoutUrl(store: EmitDeps['store'], emissions: readonly Emission[]): Promise<ReadonlySet<Emission>> {
  const ids = new Set(emissions.map(({ event }) => event.merchantId));
  const merchants = await store.records.get('merchants', [...ids]);
  const settingsOf = new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
  const unaddressed = emissions.filter(({ event }) => {
    const settings = settingsOf.get(event.merchantId);
    return settings !== undefined && effectiveUrl(settings, event.mode) === null;
  });
  return new Set(unaddressed);
}

function numbersOf({ event, deliveryId }: Emission): NewDelivery {
  const { _id: eventId, resourceId, sequence } = event;
  return { id: deliveryId, eventId, resourceId, sequence };
}

function newbornOf({ event, deliveryId }: Emission, context: DeliveryContext): Create {
  const { _id, merchantId, mode, resourceId, sequence } = event;
  return {
    kind: 'delivery',
    id: deliveryId,
    merchantId,
    mode,
    attributes: { eventId: _id, resourceId, sequence, event: event.event },
    context,
    by: BY_WEBHOOKS,
  };
}

async function giveTurns({ store, engine }: EmitDeps, waiting: readonly Waiting[]): Promise<void> {
  const turns = waiting.length === 0 ? [] : await inTurn(store, waiting);
  await Promise.all(
    [...turns].map(async ({ emission, doc }) => {
      await giveTurn(engine, doc).catch((error: unknown) => {
        emission.result = { failed: error instanceof Error ? error : new Error(String(error)) };
      });
    }),
  );
}
