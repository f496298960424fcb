import { deliveryEnded, deliveryInTurn, type NewDelivery, newDelivery } from '../../machines/delivery/context.ts';
import type { EffectOf } from '../../machines/effects.ts';
import { type Create, type EffectEnd, type EffectItem, type EffectResult, troubleOf } from '../engine/types.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';
import { derivedId } from '../store/ids.ts';
import { withoutEndpoint } from './attempt.ts';
import { deliveryIdOf, effectiveUrl, newbornOf, numberTaken } from './deliveries.ts';
import type { FirstAttempt } from './first-attempts.ts';
import type { WebhookParts } from './parts.ts';
import { isQueued, type Numbered, nextInSequence, startFirstAttempt } from './sequencer.ts';

export type EmitItem = EffectItem<EffectOf<'webhook.emit'>>;

export interface EmitDeps extends WebhookParts {
  /** How long to wait for the process that logged an event to store its delivery, in milliseconds. */
  readonly patienceMs: number;
  /** Starts a first attempt before its delivery is stored. Returns false if the delivery has to be stored first. */
  readonly begin: (first: FirstAttempt) => boolean;
  /** Called with the events that this process has logged. */
  readonly onLogged: (events: readonly EventDoc[]) => void;
}

/** An event that is being logged, and its result so far. */
interface Emission extends Numbered {
  readonly event: EventDoc;
  readonly delivery: NewDelivery;
  /** This process logged the event. Another process that finds it in the log leaves the first attempt to this one. */
  isMine: boolean;
  result: EffectResult;
}

/**
 * Runs `webhook.emit`: logs the event; the process that logged it creates the delivery. Each is made once, however
 * often this runs. Before a delivery is created, the first attempt of the previous one is checked: if it has ended, the
 * delivery begins at once, or ends at once without a URL. Otherwise it is checked again after the creation, because the
 * previous attempt may have ended meanwhile (`sequencer.ts`).
 */
export async function emit(deps: EmitDeps, items: readonly EmitItem[]): Promise<EffectResult[]> {
  const emissions = items.map(emissionOf);
  await logEvents(deps, emissions);
  const sound = open(emissions);
  const others = sound.filter(({ isMine }) => !isMine);
  const [made, present] = await Promise.all([
    makeDeliveries(
      deps,
      sound.filter(({ isMine }) => isMine),
    ),
    findPresent(deps.store, others),
  ]);
  await startFirstAttempts(deps, new Map([...made, ...present]));
  const missing = others.filter((emission) => emission.result === 'done' && !present.has(emission));
  if (missing.length > 0) awaitOwner(deps, missing);
  return emissions.map(({ result }) => result);
}

/**
 * The process that logged an event may be making its first attempt, and store the delivery soon. If no delivery appears
 * in time, that process is presumed dead and the delivery is created here.
 */
function awaitOwner(deps: EmitDeps, missing: readonly Emission[]): void {
  const checked = takeOver(deps, missing);
  for (const emission of missing) {
    emission.result = { later: checked.then((taken) => taken.get(emission)?.result ?? 'done').then(endOf) };
  }
}

async function takeOver(deps: EmitDeps, missing: readonly Emission[]): Promise<ReadonlyMap<Emission, Emission>> {
  await new Promise((resolve) => setTimeout(resolve, deps.patienceMs).unref());
  const again = new Map(missing.map((emission) => [emission, { ...emission, result: 'done' as const }] as const));
  const all: Emission[] = [...again.values()];
  const present = await findPresent(deps.store, all);
  const left = all.filter((emission) => emission.result === 'done' && !present.has(emission));
  const made = await makeDeliveries({ ...deps, begin: () => false }, left);
  await startFirstAttempts(deps, new Map([...made, ...present]));
  return again;
}

async function endOf(result: EffectResult): Promise<EffectEnd> {
  return typeof result === 'object' && 'later' in result ? result.later : result;
}

function emissionOf({ id, at, sequence, source, effect }: EmitItem): Emission {
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
  const result: EffectResult = number > 0 ? 'done' : { failed: new Error(`${id}: the event has no sequence number`) };
  return {
    event,
    resourceId: source.id,
    sequence: number,
    delivery: { id: deliveryIdOf(source.id, number), eventId: event._id, resourceId: source.id, sequence: number },
    isMine: false,
    result,
  };
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
    emission.isMine = verdict?.inserted === true;
    if (verdict?.inserted || verdict?.index === '_id') continue;
    emission.result = {
      failed: new Error(`${emission.event._id}: not logged, conflict on ${verdict?.index ?? 'an unknown index'}`),
    };
  }
  onLogged(sound.filter((_, index) => verdicts[index]?.inserted).map(({ event }) => event));
}

/** Resolves with the deliveries that are stored now. */
async function makeDeliveries(
  deps: EmitDeps,
  emissions: readonly Emission[],
): Promise<ReadonlyMap<Emission, StoredActor>> {
  if (emissions.length === 0) return new Map();
  const { store, engine } = deps;
  const loggedBy = performance.now();
  const merchantIds = new Set(emissions.map(({ event }) => event.merchantId));
  const [ready, settings] = await Promise.all([nextInSequence(store, emissions), deps.settings.read([...merchantIds])]);
  const stored = emissions.filter((emission) => {
    const own = settings.get(emission.event.merchantId);
    return !(ready.has(emission) && own && beginsNow(deps, emission, own, loggedBy));
  });
  const births = stored.map((emission) => birthOf(deps, emission, ready.has(emission), settings));
  const made = births.length === 0 ? [] : await engine.create('delivery', births);
  const docs = new Map<Emission, StoredActor>();
  for (const [index, emission] of stored.entries()) {
    const verdict = made[index];
    if (verdict?.kind === 'created') docs.set(emission, verdict.doc);
  }
  const others = stored.filter((emission) => !docs.has(emission));
  const present = await findPresent(store, others);
  for (const emission of others) {
    if (emission.result === 'done' && !present.has(emission))
      emission.result = { failed: new Error(`${emission.delivery.id} exists already, but cannot be read`) };
  }
  return new Map([...docs, ...present]);
}

/**
 * Starts the first attempt before the delivery is stored, if possible. The effect then ends with the attempt, or
 * shortly after.
 */
function beginsNow({ begin }: EmitDeps, emission: Emission, settings: WebhookSettings, loggedBy: number): boolean {
  const { event, delivery } = emission;
  if (effectiveUrl(settings, event.mode) === null) return false;
  let settle: (end: EffectEnd) => void = () => {};
  const later = new Promise<EffectEnd>((resolve) => {
    settle = resolve;
  });
  if (!begin({ event, delivery, loggedBy, settle })) return false;
  emission.result = { later };
  return true;
}

/** A delivery whose turn has come begins, or ends at once if there is no URL. */
function birthOf(
  { clock, cache }: EmitDeps,
  emission: Emission,
  isInTurn: boolean,
  settings: ReadonlyMap<string, WebhookSettings>,
): Create {
  const { event, delivery } = emission;
  const own = settings.get(event.merchantId);
  if (isInTurn && own && effectiveUrl(own, event.mode) === null) {
    return newbornOf(event, deliveryEnded(delivery, withoutEndpoint(1, clock()).record));
  }
  cache.logged(event);
  if (!isInTurn) return newbornOf(event, newDelivery(delivery));
  return newbornOf(event, deliveryInTurn(delivery));
}

/**
 * The deliveries that exist already for exactly these events. Marks an emission failed if its number belongs to another
 * event.
 */
async function findPresent(
  store: EmitDeps['store'],
  emissions: readonly Emission[],
): Promise<ReadonlyMap<Emission, StoredActor>> {
  if (emissions.length === 0) return new Map();
  const docs = await store.actors.load(
    'delivery',
    emissions.map(({ delivery }) => delivery.id),
  );
  const docOf = new Map(docs.map((doc) => [doc._id, doc]));
  const found = new Map<Emission, StoredActor>();
  for (const emission of emissions) {
    const doc = docOf.get(emission.delivery.id);
    if (doc?.attributes['eventId'] === emission.event._id) found.set(emission, doc);
    else if (doc) emission.result = { failed: numberTaken(emission.delivery) };
  }
  return found;
}

/** Begins the queued deliveries whose turn has come. */
async function startFirstAttempts(
  { store, engine }: EmitDeps,
  docs: ReadonlyMap<Emission, StoredActor>,
): Promise<void> {
  const queued = new Map([...docs].filter(([, doc]) => isQueued(doc)));
  const ready = await nextInSequence(store, [...queued.keys()]);
  await Promise.all(
    [...queued].map(async ([emission, doc]) => {
      if (!ready.has(emission)) return;
      await startFirstAttempt(engine, doc).catch((error: unknown) => {
        emission.result = troubleOf(error);
      });
    }),
  );
}
