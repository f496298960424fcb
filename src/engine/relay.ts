import { type EffectOf, type EffectType, effect as effectSchema, RUNS_IN } from '../../machines/effects.ts';
import { doubled } from '../../machines/rules/backoff.ts';
import type { Log } from '../observability/log.ts';
import { traced } from '../observability/tracing.ts';
import type { ActorKind, OutboxItem, Tenant } from '../store/documents.ts';
import type { OutboxCollection, Store } from '../store/port.ts';
import { RELAY_GRACE_MS } from './dispatcher.ts';
import type { FaultHook } from './faults.ts';
import { Tombstones } from './tombstones.ts';
import {
  type EffectEnd,
  type EffectHandler,
  type EffectHandlers,
  type EffectItem,
  type EffectResult,
  type EffectSource,
  type Trouble,
  troubleOf,
} from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** An effect that has failed this often quarantines its actor. */
const FAILURES_MAX = 20;

/**
 * Pause before a failed effect is tried again, milliseconds: doubles from `first` up to `most`. A held effect waits as
 * long again as it has waited, within the same limits.
 */
const RETRY_MS = { first: 500, most: 60_000 } as const;

/**
 * The most documents in one batch of a handler, and the most batches of one type at a time. Effects that arrive
 * meanwhile make the next batches larger (measured: with 16 batches the cost per document, in database and process, is
 * a fifth higher).
 */
const BATCH_MAX = 500;
const BATCHES_MAX = 2;

/** The most ids of a batch in a trace or a log line. */
const NAMED_MAX = 10;

/**
 * How long completed effects wait for the event whose write clears them. Other processes run them again after
 * RELAY_GRACE_MS.
 */
const HANDED_MS = 1_000;

/**
 * The slowest effects of this time decide for how long effects are this process's own, and the most that this can be,
 * milliseconds.
 */
const PACE_MS = { lately: 30_000, most: 10_000 } as const;

export interface RelayDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly handlers: EffectHandlers;
  readonly onGivenUp: (kind: ActorKind, id: string, reason: string) => Promise<void>;
  /** False for a document of a version that this process does not know. */
  readonly isMine: (from: OutboxCollection, id: string) => Promise<boolean>;
  /** Called with the id of a document whose next effect did not complete: the stored outbox decides from now on. */
  readonly onStopped: (id: string) => void;
}

/** A document whose outbox is not empty. */
export interface WithOutbox extends Tenant {
  readonly _id: string;
  readonly outbox: readonly OutboxItem[];
  readonly relayAt?: Date | null;
  readonly relayFailures: number;
}

/** The effects of one document that this process runs, in the order of its outbox. */
interface EffectQueue {
  source: EffectSource;
  readonly failures: number;
  waiting: OutboxItem[];
  /** The process time at which it last had no effects. */
  since: number;
  /**
   * Effects taken over and still in the stored outbox, by id. A stale read may show one again; it does not run again.
   */
  readonly known: Set<string>;
  done: string[];
  /** The number of effects that started and end later (`EffectResult`). */
  later: number;
  /** True if every effect in `done` was handed on: the event that results from it clears the outbox. */
  isHanded: boolean;
  running: boolean;
  acking: boolean;
  listeners: (() => void)[];
  /** Notified when the completed effects are out of the stored outbox. */
  ackListeners: (() => void)[];
}

interface Row {
  readonly queue: EffectQueue;
  readonly item: OutboxItem;
}

/**
 * Runs effects: those of one document in the order of its outbox, those of different documents together, in batches by
 * type. It removes completed effects from the stored outbox. A failed effect runs again later and holds back the
 * document's later effects until then. Any effect may run twice, also in another process, so handlers key their results
 * by effect id.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #queues = new Map<string, EffectQueue>();
  /** Queues by the type of their first effect, in the order in which they became ready. */
  readonly #ready = new Map<string, Set<EffectQueue>>();
  readonly #batches = new Map<string, number>();
  #acks: EffectQueue[] = [];
  #acking = false;
  /**
   * Queues that wait for an event to clear their outbox, the oldest first, with the process time of their own
   * acknowledgement.
   */
  readonly #handed = new Map<EffectQueue, number>();
  #handedTimer: NodeJS.Timeout | null = null;
  readonly #tombstones = new Tombstones();
  /** The effects that took longest lately, from their commit to their end, and the process time of that. */
  #slowest = { ms: 0, at: 0 };

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /** Takes over the effects of an outbox up to the first one of a worker, except those that it has already. */
  take(collection: OutboxCollection, doc: WithOutbox): void {
    const left = doc.outbox.filter(({ id }) => !this.#tombstones.has(id));
    const end = left.findIndex((item) => this.#isForWorkers(item));
    const mine = end < 0 ? left : left.slice(0, end);
    if (mine.length === 0) return;
    const queue = this.#queueOf(collection, doc);
    if (queue.waiting.length === 0 && !queue.running) queue.since = performance.now();
    for (const item of mine) {
      if (queue.known.has(item.id)) continue;
      queue.known.add(item.id);
      queue.waiting.push(item);
    }
    this.#makeReady(queue);
    queueMicrotask(() => this.#pump());
  }

  /** Resolves when all effects taken over from this document have run, or one has failed. */
  async completed(id: string): Promise<void> {
    const queue = this.#queues.get(id);
    if (!queue || (queue.waiting.length === 0 && !queue.running)) return;
    await new Promise<void>((resolve) => queue.listeners.push(resolve));
  }

  /**
   * As `completed`, and the completed effects are out of the stored outbox: the next reader finds none to run again.
   */
  async acked(id: string): Promise<void> {
    await this.completed(id);
    const queue = this.#queues.get(id);
    if (!queue) return;
    if (this.#handed.has(queue)) this.#ackNow(queue);
    await new Promise<void>((resolve) => queue.ackListeners.push(resolve));
  }

  /**
   * How long the effects of an outbox are this process's own after a commit, milliseconds: twice the time that they
   * take on a busy machine. Other processes that took them over meanwhile would do the same work again, and make
   * everything slower still. 0 if the first one is left to workers, who run it at their next check.
   */
  graceMs(outbox: readonly OutboxItem[]): number {
    const [first] = outbox;
    if (first !== undefined && this.#isForWorkers(first)) return 0;
    const { ms, at } = this.#slowest;
    const isRecent = performance.now() - at < PACE_MS.lately;
    return isRecent ? Math.max(RELAY_GRACE_MS, Math.min(PACE_MS.most, Math.ceil(2 * ms))) : RELAY_GRACE_MS;
  }

  /** This process has no handler of it, because it only serves requests. */
  #isForWorkers({ effect: { type } }: OutboxItem): boolean {
    return type in RUNS_IN && !(type in this.#deps.handlers);
  }

  /** The effects of an outbox, as it was read, that may still be in it. */
  left(items: readonly OutboxItem[]): readonly OutboxItem[] {
    return items.some(({ id }) => this.#tombstones.has(id))
      ? items.filter(({ id }) => !this.#tombstones.has(id))
      : items;
  }

  /** Called when a commit has cleared all effects that this process completed from the stored outbox. */
  cleared(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue || !this.#handed.delete(queue)) return;
    this.#addTombstones(queue, queue.done.splice(0));
    if (isOver(queue)) this.#forget(queue);
  }

  /** True while an effect of any document waits, runs, or is being removed from its outbox. */
  isBusy(): boolean {
    return this.#queues.size > 0;
  }

  #queueOf(collection: OutboxCollection, doc: WithOutbox): EffectQueue {
    const { _id: id, merchantId, mode, relayAt = null } = doc;
    const source = { collection, id, merchantId, mode, relayAt };
    const known = this.#queues.get(id);
    if (known) {
      known.source = source;
      return known;
    }
    const queue: EffectQueue = {
      source,
      failures: doc.relayFailures,
      waiting: [],
      since: 0,
      known: new Set(),
      done: [],
      later: 0,
      isHanded: true,
      running: false,
      acking: false,
      listeners: [],
      ackListeners: [],
    };
    this.#queues.set(id, queue);
    return queue;
  }

  #makeReady(queue: EffectQueue): void {
    const type = queue.waiting[0]?.effect.type;
    if (queue.running || type === undefined) return;
    const ready = this.#ready.get(type);
    if (ready) ready.add(queue);
    else this.#ready.set(type, new Set([queue]));
  }

  #pump(): void {
    for (const [type, ready] of this.#ready) {
      while (ready.size > 0 && this.#underWay(type) < BATCHES_MAX) this.#begin(type, takenFrom(ready, BATCH_MAX));
      if (ready.size === 0) this.#ready.delete(type);
    }
  }

  #underWay(type: string): number {
    return this.#batches.get(type) ?? 0;
  }

  #begin(type: string, queues: readonly EffectQueue[]): void {
    for (const queue of queues) queue.running = true;
    this.#batches.set(type, this.#underWay(type) + 1);
    this.#run(type, queues).finally(() => {
      this.#batches.set(type, this.#underWay(type) - 1);
      for (const queue of queues) this.#continue(queue);
      this.#pump();
    });
  }

  /** Runs the first effect of each document, and with it those that may run together. */
  async #run(type: string, queues: readonly EffectQueue[]): Promise<void> {
    const rows = queues.flatMap((queue) => together(queue.waiting, type).map((item) => ({ queue, item })));
    const attributes = () => ({
      'tideline.effect': type,
      'tideline.count': rows.length,
      'tideline.ids': rows.slice(0, NAMED_MAX).map(({ item }) => item.id),
    });
    const results = await traced({ name: `relay ${type}`, attributes }, () => this.#handle(type, rows));
    this.#notePace(Math.min(...queues.map(({ since }) => since)));
    const failed = new Map<EffectQueue, Trouble>();
    for (const [index, { queue, item }] of rows.entries()) {
      if (failed.has(queue)) continue;
      const result = results[index] ?? noResultOf(type);
      if (result === 'done' || result === 'handed') queue.waiting = queue.waiting.filter((other) => other !== item);
      else if ('later' in result) {
        queue.waiting = queue.waiting.filter((other) => other !== item);
        this.#await(queue, item, result.later);
        continue;
      } else {
        failed.set(queue, result);
        continue;
      }
      queue.isHanded = result === 'handed' && (queue.done.length === 0 || queue.isHanded);
      queue.done.push(item.id);
    }
    await Promise.all([...failed].map(([queue, result]) => this.#stop(queue, result)));
  }

  #notePace(since: number): void {
    const now = performance.now();
    const { ms, at } = this.#slowest;
    if (now - since >= ms || now - at >= PACE_MS.lately) this.#slowest = { ms: now - since, at: now };
  }

  /** Follows an effect that ends later. If it fails, the relay job runs it again from the stored outbox. */
  #await(queue: EffectQueue, item: OutboxItem, later: Promise<EffectEnd>): void {
    queue.later += 1;
    queue.isHanded = false;
    void later.catch(troubleOf).then(async (end) => {
      if (end === 'done' || end === 'handed') queue.done.push(item.id);
      else {
        queue.known.delete(item.id);
        await this.#note(queue, item, end);
      }
      queue.later -= 1;
      if (!queue.running && queue.waiting.length === 0 && !queue.acking) this.#queueAck(queue);
    });
  }

  /** Runs a failed batch again one by one, so that one bad effect fails only its own document. */
  async #handle(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    try {
      return await this.#carryOut(type, rows);
    } catch (error) {
      const trouble = troubleOf(error);
      if ('held' in trouble) return rows.map(() => trouble);
      if (rows.length === 1) return [trouble];
      this.#deps.log.warn(
        { type, effects: rows.length, err: error },
        'a batch of effects failed; each effect now runs alone',
      );
      const alone = await Promise.all([...byQueue(rows).values()].map((own) => this.#handleInOrder(type, own)));
      return alone.flat();
    }
  }

  /** The rows of one document one after another; those after a failed one fail with it. */
  async #handleInOrder(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    const results: EffectResult[] = [];
    for (const row of rows) {
      const [result = noResultOf(type)] = await this.#handle(type, [row]);
      results.push(result);
      if (typeof result === 'object' && !('later' in result)) return rows.map((_, index) => results[index] ?? result);
    }
    return results;
  }

  async #carryOut(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    const { fault, handlers } = this.#deps;
    await fault('relay.effect.before', type);
    const results = await runTyped(
      handlers,
      rows.map(({ queue, item }) => itemOf(queue.source, item)),
    );
    await fault('relay.effect.after', type);
    return results;
  }

  /** Leaves the document's other effects to the relay job, which reads them again from the stored outbox. */
  async #stop(queue: EffectQueue, result: Trouble): Promise<void> {
    const left = queue.waiting.splice(0);
    for (const { id } of left) queue.known.delete(id);
    await this.#note(queue, left[0], result);
  }

  async #note(queue: EffectQueue, stopped: OutboxItem | undefined, result: Trouble): Promise<void> {
    const { source } = queue;
    this.#deps.onStopped(source.id);
    const why = whyOf(result);
    this.#deps.log.warn(
      { actor: source.id, effect: stopped?.id, type: stopped?.effect.type, why },
      'an effect did not complete; the relay job runs it again after a pause',
    );
    const now = this.#deps.clock().getTime();
    try {
      const isFailure = await this.#isFailure(source, result);
      const pauseMs = isFailure ? pauseAfter(queue.failures) : pauseOfHeld(now - (stopped?.at.getTime() ?? now));
      const retryAt = new Date(now + pauseMs);
      const { outboxes } = this.#deps.store;
      const failures = await outboxes.failed(source.collection, source.id, retryAt, isFailure ? 1 : 0);
      if (failures >= FAILURES_MAX && isActor(source.collection)) {
        await this.#deps.onGivenUp(
          source.collection,
          source.id,
          `effect ${stopped?.id} failed ${failures} times: ${why}`,
        );
      }
    } catch (error) {
      this.#deps.log.error(
        { actor: source.id, effect: stopped?.id, err: error },
        'the failure of an effect was not stored and does not count; the relay job runs the effect again without a pause',
      );
    }
  }

  /** False if only newer code can run the effect, because newer code wrote the sender's or the receiver's document. */
  async #isFailure({ collection, id }: EffectSource, result: Trouble): Promise<boolean> {
    if (!('failed' in result) || result.failed instanceof UnknownVersion) return false;
    return this.#deps.isMine(collection, id);
  }

  #continue(queue: EffectQueue): void {
    queue.running = false;
    if (queue.waiting.length > 0) {
      this.#makeReady(queue);
      return;
    }
    notify(queue.listeners);
    if (!queue.acking) this.#queueAck(queue);
  }

  #queueAck(queue: EffectQueue): void {
    if (queue.done.length === 0) {
      if (isOver(queue)) this.#forget(queue);
      return;
    }
    if (queue.isHanded && queue.ackListeners.length === 0) this.#ackLater(queue);
    else this.#ackNow(queue);
  }

  #ackNow(queue: EffectQueue): void {
    this.#handed.delete(queue);
    queue.acking = true;
    this.#acks.push(queue);
    queueMicrotask(() => void this.#pumpAcks());
  }

  #ackLater(queue: EffectQueue): void {
    this.#handed.set(queue, performance.now() + HANDED_MS);
    this.#handedTimer ??= setTimeout(() => this.#ackOverdue(), HANDED_MS).unref();
  }

  #ackOverdue(): void {
    this.#handedTimer = null;
    const now = performance.now();
    for (const [queue, at] of this.#handed) {
      if (at > now) {
        this.#handedTimer = setTimeout(() => this.#ackOverdue(), at - now).unref();
        return;
      }
      this.#ackNow(queue);
    }
  }

  /** One write per collection removes completed effects from all outboxes. Later ones go into the next write. */
  async #pumpAcks(): Promise<void> {
    if (this.#acking) return;
    this.#acking = true;
    while (this.#acks.length > 0) {
      const queues = this.#acks.splice(0, BATCH_MAX);
      await Promise.all([...byCollection(queues)].map(([from, group]) => this.#ack(from, group)));
    }
    this.#acking = false;
  }

  async #ack(from: OutboxCollection, queues: readonly EffectQueue[]): Promise<void> {
    const done = queues.map((queue) => ({ id: queue.source.id, effectIds: queue.done.splice(0) }));
    try {
      await this.#deps.store.outboxes.ack(from, done);
      for (const [index, queue] of queues.entries()) this.#addTombstones(queue, done[index]?.effectIds ?? []);
      await this.#deps.fault('relay.ack.after', from);
    } catch (error) {
      const actors = done.slice(0, NAMED_MAX).map(({ id }) => id);
      this.#deps.log.warn(
        { collection: from, actors, count: done.length, err: error },
        'completed effects could not be removed from their outboxes; the relay job runs them again',
      );
    }
    for (const [index, queue] of queues.entries()) this.#acked(queue, done[index]?.effectIds ?? []);
  }

  #acked(queue: EffectQueue, effectIds: readonly string[]): void {
    queue.acking = false;
    for (const id of effectIds) queue.known.delete(id);
    if (!isOver(queue) || queue.done.length > 0) {
      if (queue.later === 0) notify(queue.ackListeners);
      if (!queue.running && queue.waiting.length === 0) this.#queueAck(queue);
      return;
    }
    this.#forget(queue);
  }

  /** Notes that these effects are out of the stored outbox for good. */
  #addTombstones(queue: EffectQueue, effectIds: readonly string[]): void {
    for (const id of effectIds) {
      queue.known.delete(id);
      this.#tombstones.add(id);
    }
  }

  #forget(queue: EffectQueue): void {
    this.#queues.delete(queue.source.id);
    notify(queue.ackListeners);
  }
}

function notify(listeners: (() => void)[]): void {
  for (const resolve of listeners.splice(0)) resolve();
}

/** Removes up to `most` queues from `ready`, in order, and returns them. */
function takenFrom(ready: Set<EffectQueue>, most: number): EffectQueue[] {
  const taken: EffectQueue[] = [];
  for (const queue of ready) {
    if (taken.length === most) break;
    taken.push(queue);
    ready.delete(queue);
  }
  return taken;
}

/** True if no effect of the queue waits or runs. */
function isOver(queue: EffectQueue): boolean {
  return !queue.running && queue.waiting.length === 0 && queue.later === 0;
}

/**
 * The first effect, of `type`, and those that run with it: messages to the subscription that follow one another. Sent
 * at once, they are one write there, and it takes them in this order.
 */
function together(waiting: readonly OutboxItem[], type: string): readonly OutboxItem[] {
  if (type !== 'subscription.tell') return waiting.slice(0, 1);
  const end = waiting.findIndex(({ effect }) => effect.type !== type);
  return end < 0 ? waiting : waiting.slice(0, end);
}

function noResultOf(type: string): Trouble {
  return { failed: new Error(`the handler of ${type} gave no result`) };
}

function itemOf(source: EffectSource, item: OutboxItem): EffectItem {
  const { id, rev, index, at, sequence } = item;
  return { id, mark: [rev, index], at, sequence, source, effect: effectSchema.parse(item.effect) };
}

function whyOf(result: Trouble): string {
  if ('held' in result) return result.held;
  const { failed } = result;
  return failed instanceof UnknownVersion ? (failed.internal ?? failed.message) : failed.message;
}

export function isActor(collection: OutboxCollection): collection is ActorKind {
  return collection === 'subscription' || collection === 'payment';
}

function byQueue(rows: readonly Row[]): Map<EffectQueue, Row[]> {
  const groups = new Map<EffectQueue, Row[]>();
  for (const row of rows) groups.set(row.queue, [...(groups.get(row.queue) ?? []), row]);
  return groups;
}

function byCollection(queues: readonly EffectQueue[]): Map<OutboxCollection, EffectQueue[]> {
  const groups = new Map<OutboxCollection, EffectQueue[]>();
  for (const queue of queues) {
    const group = groups.get(queue.source.collection) ?? [];
    group.push(queue);
    groups.set(queue.source.collection, group);
  }
  return groups;
}

function pauseAfter(failures: number): number {
  return doubled(RETRY_MS.first, failures, RETRY_MS.most);
}

function pauseOfHeld(waitedMs: number): number {
  return Math.min(RETRY_MS.most, Math.max(RETRY_MS.first, waitedMs));
}

type SomeHandlers = { readonly [T in EffectType]?: EffectHandler<EffectOf<T>> };

/** Requires that all items have the type of the first one. */
async function runTyped(handlers: EffectHandlers, items: readonly EffectItem[]): Promise<readonly EffectResult[]> {
  const [first] = items;
  return first ? runOf(handlers, first.effect.type, items) : [];
}

function runOf<T extends EffectType>(handlers: SomeHandlers, type: T, items: readonly EffectItem[]) {
  const run = handlers[type];
  if (run === undefined) throw new Error(`${type} runs in workers only`);
  return run(items.filter(isOf(type)));
}

function isOf<T extends EffectType>(type: T) {
  return (item: EffectItem): item is EffectItem<EffectOf<T>> => item.effect.type === type;
}
