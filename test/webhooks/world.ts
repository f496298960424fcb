import { spyOn } from 'jest-mock';
import type { AttemptRecord } from '../../machines/delivery/context.ts';
import { effect, type WebhookEvent } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { RELAY_GRACE_MS } from '../../src/engine/dispatcher.ts';
import { noFaults } from '../../src/engine/faults.ts';
import type { EffectEnd, EffectResult } from '../../src/engine/types.ts';
import type { CustomerDoc, EventDoc, MerchantDoc, WebhookSettings } from '../../src/store/collections.ts';
import type { Mode, StoredActor } from '../../src/store/documents.ts';
import { newId } from '../../src/store/ids.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import type { Webhooks } from '../../src/webhooks/webhooks.ts';
import { type InProcessOptions, type InProcessService, openInProcess } from '../../stage/in-process-service.ts';
import { troublesInto } from '../../stage/recording-log.ts';
import { TestClock } from '../engine/support/world.ts';
import { customer, merchantOf, outbox as outboxDoc } from '../store/support/documents.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/** One process of the service, with a clock that only a test moves. */
export interface World extends Pick<InProcessService, 'store' | 'engine' | 'webhooks' | 'quiet' | 'relay' | 'deps'> {
  readonly clock: TestClock;
  /** Logged warnings and errors. */
  readonly troubles: string[];
}

/** Every event is stored before it is posted. */
export const STORED_FIRST = { firstAttempts: { most: 0, withinMs: 50 } } as const;

export interface WorldOptions
  extends Pick<InProcessOptions, 'store' | 'fault' | 'encryption' | 'reachesLoopback'>,
    Exclude<InProcessOptions['receivers'], undefined> {
  readonly clock?: TestClock;
  /** It dies each time between a write and the work that follows from it. */
  readonly isDeaf?: boolean;
}

export function openWorld({
  store = openMemoryStore(),
  clock = new TestClock(),
  fault = noFaults,
  encryption = null,
  reachesLoopback = true,
  isDeaf = false,
  ...receivers
}: WorldOptions = {}): World {
  const troubles: string[] = [];
  const log = troublesInto(troubles);
  const service = openInProcess({ store, clock: clock.now, log, fault, encryption, reachesLoopback, receivers });
  if (isDeaf) spyOn(service.webhooks.sequencer, 'stored').mockImplementation(() => {});
  return { ...service, clock, troubles };
}

/**
 * Processes of each test, and a receiver for them, which `opened` gets before the test. None of them outlives its test.
 */
export function useWorlds(opened: (receiver: Receiver) => void) {
  const worlds: World[] = [];
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await openReceiver();
    opened(receiver);
  });
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map(({ webhooks }) => webhooks.sender.stop(1_000)));
    await receiver.close();
  });
  const open = (options: WorldOptions = {}): World => {
    const world = openWorld(options);
    worlds.push(world);
    return world;
  };
  /** A process, and a merchant whose sandbox events go to the receiver. */
  const openWithMerchant = async (options: WorldOptions = {}): Promise<{ world: World; merchantId: string }> => {
    const world = open(options);
    return { world, merchantId: (await makeMerchant(world.store, { testUrl: receiver.url }))._id };
  };
  return { open, openWithMerchant };
}

/** Resolves when these processes have no work under way. */
export async function quiet(...worlds: readonly World[]): Promise<void> {
  do {
    for (const world of worlds) await world.quiet();
  } while (worlds.some(({ engine, webhooks }) => engine.isBusy() || webhooks.isBusy()));
}

/** Lets time pass, and begins due attempts. */
export async function pass(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  await world.webhooks.dispatchDue();
  await quiet(world);
}

export async function makeMerchant(store: Store, webhook: Partial<WebhookSettings> = {}): Promise<MerchantDoc> {
  const now = new Date('2026-03-01T00:00:00.000Z');
  const plain = merchantOf(newId('mrc', now));
  const merchant = { ...plain, webhook: { ...plain.webhook, secret: 'whsec_dGVzdA==', ...webhook } };
  await store.records.insert('merchants', [merchant]);
  return merchant;
}

/** Changes a merchant's settings without any checks. */
export async function setWebhook(store: Store, merchantId: string, changed: Partial<WebhookSettings>): Promise<void> {
  const set = Object.fromEntries(Object.entries(changed).map(([name, value]) => [`webhook.${name}`, value]));
  await store.records.change('merchants', merchantId, {}, { set });
}

export interface Emitted {
  readonly event: WebhookEvent;
  readonly data: JsonObject;
}

const CREATED: Emitted = { event: 'customer.created', data: { customerId: 'cust_1', wallets: [] } };

/**
 * A stored resource with these events in its outbox, numbered from 1 and not yet relayed, as one write of the domain
 * leaves it.
 */
export async function storeResource(
  store: Store,
  merchantId: string,
  { mode = 'test', events = [CREATED], at = new Date('2026-03-01T12:00:00.000Z') }: ResourceOptions = {},
): Promise<Stored> {
  const id = newId('cust', at);
  const outbox = events.map(({ event, data }, index) => ({
    id: `${id}:1:${index}`,
    rev: 1,
    index,
    at,
    sequence: index + 1,
    effect: { type: 'webhook.emit', event, data },
  }));
  const outboxId = newId('op', at);
  const relayAt = new Date(at.getTime() + RELAY_GRACE_MS);
  const times = { createdAt: at, updatedAt: at };
  const doc = customer({ _id: id, merchantId, mode, eventSeq: events.length, outboxId, ...times });
  const entries = [{ documentId: id, merchantId, mode, rev: 1, effects: outbox }];
  await store.records.insert('outbox', [
    outboxDoc({ _id: outboxId, source: 'customers', entries, oldestAt: at, createdAt: at, at: relayAt }),
  ]);
  await store.records.insert('customers', [doc]);
  return { ...doc, outbox, failures: 0, relayAt };
}

/** A customer with its effects. */
type Stored = CustomerDoc & Pick<StoredActor, 'outbox' | 'failures'> & { readonly relayAt: Date };

export interface ResourceOptions {
  readonly mode?: Mode;
  readonly events?: readonly Emitted[];
  readonly at?: Date;
}

/** Like `storeResource`, and the writing process runs its effects. */
export async function emit(
  world: Pick<World, 'store' | 'engine'>,
  merchantId: string,
  options: ResourceOptions = {},
): Promise<Stored> {
  const doc = await storeResource(world.store, merchantId, options);
  world.engine.resourceCommitted('customers', doc, doc.relayAt);
  return doc;
}

/** As `emit`, and the first attempts are over. */
export async function attempted(world: World, merchantId: string, options: ResourceOptions = {}): Promise<Stored> {
  const doc = await emit(world, merchantId, options);
  await quiet(world);
  return doc;
}

/** `n` events of one resource. */
export function several(n: number): Emitted[] {
  return Array.from({ length: n }, () => CREATED);
}

/** The effects of a resource in the form for its handler. */
export function itemsOf(doc: Stored): EmitItem[] {
  return doc.outbox.map(({ id, rev, index, at, sequence, effect: { event, data } }) => {
    const emitted = effect.parse({ type: 'webhook.emit', event, data });
    if (emitted.type !== 'webhook.emit') throw new Error('not an emission');
    const { _id, merchantId, mode, relayAt } = doc;
    const source = { collection: 'customers', id: _id, merchantId, mode, relayAt } as const;
    return { id, mark: [rev, index], at, sequence, source, effect: emitted };
  });
}

/** The final results of effects. */
export async function endsOf(results: Promise<readonly EffectResult[]>): Promise<EffectEnd[]> {
  const ends = (await results).map(async (result) =>
    typeof result === 'object' && 'later' in result ? result.later : result,
  );
  return Promise.all(ends);
}

export type EmitItem = Parameters<Webhooks['handlers']['webhook.emit']>[0][number];

/** The events of a resource with their deliveries, in the order of their numbers. */
export async function deliveriesOf(store: Store, resourceId: string): Promise<EventDoc[]> {
  return store.records.find('events', { where: { resourceId }, sort: [['sequence', 1]], limit: 1_000 });
}

/** The one delivery of a resource. */
export async function only(store: Store, resourceId: string): Promise<EventDoc> {
  const [delivery, ...others] = await deliveriesOf(store, resourceId);
  if (!delivery || others.length > 0) throw new Error(`one delivery of ${resourceId} was expected`);
  return delivery;
}

export function attemptsOf(event: EventDoc | undefined): readonly AttemptRecord[] {
  return event?.attempts ?? [];
}
