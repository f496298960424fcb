import { type EffectOf, type EffectType, effect as effectSchema } from '../../machines/effects.ts';
import { doubled } from '../../machines/rules/backoff.ts';
import type { Log } from '../observability/log.ts';
import { traced } from '../observability/tracing.ts';
import type { ActorKind, OutboxItem, OutboxSource, WithOutbox } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { RELAY_GRACE_MS } from './dispatcher.ts';
import type { FaultHook } from './faults.ts';
import { OpenOutboxes } from './open-outboxes.ts';
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
 * The slowest effects of this time decide for how long effects are this process's own, and the most that this can be,
 * milliseconds.
 */
const PACE_MS = { lately: 30_000, most: 10_000 } as const;

export interface RelayDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly handlers: Partial<EffectHandlers>;
  readonly onGivenUp: (kind: ActorKind, id: string, reason: string) => Promise<void>;
  /** Those of the documents whose version this process knows. */
  readonly mine: (from: OutboxSource, ids: readonly string[]) => Promise<readonly string[]>;
  /** Called with the id of a document whose next effect did not complete: the stored outbox decides from now on. */
  readonly onStopped: (id: string) => void;
}

/** A document and its effects that have not run. */
export interface Relayed extends Omit<WithOutbox, 'rev'> {
  readonly outbox: readonly OutboxItem[];
  /** How often the first effect has failed. */
  readonly failures: number;
}

/** The effects of one document that this process runs, in the order of its outbox. */
interface EffectQueue {
  source: EffectSource;
  readonly failures: number;
  /** The outbox document that has all of them. */
  outboxId: string | null;
  waiting: OutboxItem[];
  /** The process time at which it last had no effects. */
  since: number;
  /** The ids of the effects taken over. A later read of the document shows them again; they do not run again. */
  readonly known: Set<string>;
  /** The number of effects that started and end later (`EffectResult`). */
  later: number;
  running: boolean;
  /** Notified when no effect waits or runs; one may end later. */
  listeners: (() => void)[];
  /** Notified when the queue is over. */
  endListeners: (() => void)[];
}

/** An effect that did not complete. */
interface Stop extends Row {
  readonly result: Trouble;
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
  readonly #open = new OpenOutboxes();
  /** Outbox documents whose effects have all ended. */
  #over: string[] = [];
  #isRemoving = false;
  readonly #tombstones = new Tombstones();
  /** The effects that took longest lately, from their commit to their end, and the process time of that. */
  #slowest = { ms: 0, at: 0 };

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over the effects of a document, except those that it has already. `relayAt`: this process has just stored the
   * document's outbox, whose effects are its own until then; so it runs those of all its documents, and removes it.
   * null: another process may run them too.
   */
  take(collection: OutboxSource, doc: Relayed, relayAt: Date | null): void {
    const mine = this.left(doc.outbox);
    if (relayAt !== null && doc.outboxId !== null)
      this.#open.add(
        doc.outboxId,
        mine.map(({ id }) => id),
      );
    if (mine.length > 0) this.#enqueue(this.#queueOf(collection, doc, relayAt), doc, mine);
    queueMicrotask(() => this.#pump());
  }

  #enqueue(queue: EffectQueue, doc: Relayed, items: readonly OutboxItem[]): void {
    queue.outboxId = doc.outboxId;
    if (queue.waiting.length === 0 && !queue.running) queue.since = performance.now();
    for (const item of items) {
      if (queue.known.has(item.id)) continue;
      queue.known.add(item.id);
      queue.waiting.push(item);
    }
    this.#makeReady(queue);
  }

  /** Resolves when all effects taken over from this document have run, or one has failed. */
  async completed(id: string): Promise<void> {
    const queue = this.#queues.get(id);
    if (!queue || (queue.waiting.length === 0 && !queue.running)) return;
    await new Promise<void>((resolve) => queue.listeners.push(resolve));
  }

  /** As `completed`, also for those that end later. */
  async ended(id: string): Promise<void> {
    const queue = this.#queues.get(id);
    if (queue) await new Promise<void>((resolve) => queue.endListeners.push(resolve));
  }

  /**
   * How long the effects of an outbox are this process's own after a commit, milliseconds: twice the time that they
   * take on a busy machine. Other processes that took them over meanwhile would do the same work again, and make
   * everything slower still.
   */
  graceMs(): number {
    const { ms, at } = this.#slowest;
    const isRecent = performance.now() - at < PACE_MS.lately;
    return isRecent ? Math.max(RELAY_GRACE_MS, Math.min(PACE_MS.most, Math.ceil(2 * ms))) : RELAY_GRACE_MS;
  }

  /** The effects of an outbox, as it was read, that have not ended in this process. */
  left(items: readonly OutboxItem[]): readonly OutboxItem[] {
    return items.filter(({ id }) => !this.#tombstones.has(id));
  }

  /** True while an effect of any document waits, runs, or is being removed from its outbox. */
  isBusy(): boolean {
    return this.#queues.size > 0 || this.#over.length > 0 || this.#isRemoving;
  }

  #queueOf(collection: OutboxSource, doc: Relayed, relayAt: Date | null): EffectQueue {
    const { _id: id, merchantId, mode } = doc;
    const source = { collection, id, merchantId, mode, relayAt };
    const known = this.#queues.get(id);
    if (known) {
      if (relayAt !== null) known.source = source;
      return known;
    }
    const queue: EffectQueue = {
      source,
      failures: doc.failures,
      outboxId: doc.outboxId,
      waiting: [],
      since: 0,
      known: new Set(),
      later: 0,
      running: false,
      listeners: [],
      endListeners: [],
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
      if (result === 'done') {
        queue.waiting = queue.waiting.filter((other) => other !== item);
        this.#note(item);
      } else if ('later' in result) {
        queue.waiting = queue.waiting.filter((other) => other !== item);
        this.#await(queue, item, result.later);
      } else failed.set(queue, result);
    }
    await this.#stop(failed);
  }

  #notePace(since: number): void {
    const now = performance.now();
    const { ms, at } = this.#slowest;
    if (now - since >= ms || now - at >= PACE_MS.lately) this.#slowest = { ms: now - since, at: now };
  }

  /** Follows an effect that ends later. If it fails, the relay job runs it again from the stored outbox. */
  #await(queue: EffectQueue, item: OutboxItem, later: Promise<EffectEnd>): void {
    queue.later += 1;
    void later.catch(troubleOf).then(async (end) => {
      if (end === 'done') this.#note(item);
      else {
        queue.known.delete(item.id);
        await this.#report([{ queue, item, result: end }]);
      }
      queue.later -= 1;
      this.#endIfOver(queue);
    });
  }

  /** Notes the end of an effect. The outbox whose last one it is can be removed. */
  #note({ id }: OutboxItem): void {
    this.#tombstones.add(id);
    this.#over.push(...this.#open.ended(id));
    if (this.#over.length > 0) queueMicrotask(() => void this.#removeOver());
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

  /** Leaves the documents' other effects to the relay job, which reads them again from the stored outbox. */
  async #stop(failed: ReadonlyMap<EffectQueue, Trouble>): Promise<void> {
    const stops = [...failed].flatMap(([queue, result]): Stop[] => {
      const left = queue.waiting.splice(0);
      for (const { id } of left) queue.known.delete(id);
      const [item] = left;
      return item === undefined ? [] : [{ queue, item, result }];
    });
    await this.#report(stops);
  }

  /** One write for each outbox: a whole batch of its documents may have to wait. */
  async #report(stops: readonly Stop[]): Promise<void> {
    const outboxes = new Map<string, Stop[]>();
    for (const stop of stops) {
      const { outboxId } = stop.queue;
      if (outboxId !== null) outboxes.set(outboxId, [...(outboxes.get(outboxId) ?? []), stop]);
    }
    await Promise.all([...outboxes].map(([outboxId, own]) => this.#pause(outboxId, own)));
  }

  async #pause(outboxId: string, stops: readonly Stop[]): Promise<void> {
    this.#open.leave(outboxId);
    for (const { queue, item, result } of stops) {
      this.#deps.onStopped(queue.source.id);
      this.#deps.log.warn(
        { actor: queue.source.id, effect: item.id, type: item.effect.type, why: whyOf(result) },
        'an effect did not complete; the relay job runs it again after a pause',
      );
    }
    const now = this.#deps.clock().getTime();
    try {
      const failed = await this.#failuresOf(stops);
      const pauses = stops.map(({ queue, item }) =>
        failed.has(queue.source.id) ? pauseAfter(queue.failures) : pauseOfHeld(now - item.at.getTime()),
      );
      const counts = stops.map(
        ({ queue: { source } }) => [`failures.${source.id}`, failed.has(source.id) ? 1 : 0] as const,
      );
      const change = { set: { at: new Date(now + Math.max(...pauses)) }, inc: Object.fromEntries(counts) };
      const outbox = await this.#deps.store.records.change('outbox', outboxId, {}, change);
      for (const stop of stops) await this.#giveUp(stop, outbox?.failures[stop.queue.source.id] ?? 0);
    } catch (error) {
      this.#deps.log.error(
        { outbox: outboxId, effects: stops.slice(0, NAMED_MAX).map(({ item }) => item.id), err: error },
        'failures of effects were not stored and do not count; the relay job runs the effects again without a pause',
      );
    }
  }

  async #giveUp({ queue: { source }, item, result }: Stop, failures: number): Promise<void> {
    if (failures < FAILURES_MAX || !isActor(source.collection)) return;
    const reason = `effect ${item.id} failed ${failures} times: ${whyOf(result)}`;
    await this.#deps.onGivenUp(source.collection, source.id, reason);
  }

  /**
   * The documents of these effects whose failure counts: not if only newer code can run the effect, because newer code
   * wrote the sender's or the receiver's document.
   */
  async #failuresOf(stops: readonly Stop[]): Promise<ReadonlySet<string>> {
    const failed = stops.filter(({ result }) => 'failed' in result && !(result.failed instanceof UnknownVersion));
    const [first] = failed;
    if (first === undefined) return new Set();
    const ids = failed.map(({ queue }) => queue.source.id);
    return new Set(await this.#deps.mine(first.queue.source.collection, ids));
  }

  #continue(queue: EffectQueue): void {
    queue.running = false;
    if (queue.waiting.length > 0) {
      this.#makeReady(queue);
      return;
    }
    notify(queue.listeners);
    this.#endIfOver(queue);
  }

  #endIfOver(queue: EffectQueue): void {
    if (!isOver(queue)) return;
    this.#queues.delete(queue.source.id);
    notify(queue.endListeners);
  }

  /** One write removes all outboxes whose effects have ended. Later ones go into the next write. */
  async #removeOver(): Promise<void> {
    if (this.#isRemoving) return;
    this.#isRemoving = true;
    while (this.#over.length > 0) {
      const ids = this.#over.splice(0, BATCH_MAX);
      try {
        await this.#deps.store.records.remove('outbox', ids);
        await this.#deps.fault('relay.ack.after');
      } catch (error) {
        this.#deps.log.warn(
          { outboxes: ids.slice(0, NAMED_MAX), count: ids.length, err: error },
          'outboxes whose effects have run could not be removed; the relay job removes them',
        );
      }
    }
    this.#isRemoving = false;
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

export function isActor(collection: OutboxSource): collection is ActorKind {
  return collection === 'subscription' || collection === 'payment';
}

function byQueue(rows: readonly Row[]): Map<EffectQueue, Row[]> {
  const groups = new Map<EffectQueue, Row[]>();
  for (const row of rows) groups.set(row.queue, [...(groups.get(row.queue) ?? []), row]);
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
async function runTyped(
  handlers: Partial<EffectHandlers>,
  items: readonly EffectItem[],
): Promise<readonly EffectResult[]> {
  const [first] = items;
  return first ? runOf(handlers, first.effect.type, items) : [];
}

function runOf<T extends EffectType>(handlers: SomeHandlers, type: T, items: readonly EffectItem[]) {
  const run = handlers[type];
  if (run === undefined) throw new Error(`${type} has no handler here`);
  return run(items.filter(isOf(type)));
}

function isOf<T extends EffectType>(type: T) {
  return (item: EffectItem): item is EffectItem<EffectOf<T>> => item.effect.type === type;
}
