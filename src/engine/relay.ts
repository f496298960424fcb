import { type EffectOf, type EffectType, effect as effectSchema } from '../../machines/effects.ts';
import { doubled } from '../../machines/rules/backoff.ts';
import type { Log } from '../log.ts';
import type { ActorKind, Mode, OutboxItem } from '../store/documents.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { OutboxCollection, Store } from '../store/port.ts';
import { traced } from '../tracing.ts';
import type { FaultHook } from './faults.ts';
import { Gone } from './gone.ts';
import { writeJournal } from './journal.ts';
import type { EffectEnd, EffectHandlers, EffectItem, EffectResult, EffectSource } from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** An effect that has failed this often quarantines its actor. */
const FAILURES_MAX = 20;

/**
 * Pause before a failed effect is tried again, milliseconds: doubled from the first to the second. A held one waits as long
 * again as it has waited.
 */
const RETRY_MS = { first: 500, most: 60_000 } as const;

/**
 * How many documents one batch of a handler may come from, and how many batches of one type may be under way: what comes
 * meanwhile makes the next ones larger (measured: with 16 instead, a batch costs the database and this process a fifth more
 * per document).
 */
const BATCH_MAX = 500;
const BATCHES_MAX = 2;

/** Of a batch so many ids are told to a trace. */
const TRACED_MAX = 10;

/** How long what has run waits for the event whose write will clear it; others take it up after RELAY_GRACE_MS. */
const HANDED_MS = 1_000;
/** What had to wait longer to be carried out than this is taken out at once, before others take it up. */
const LINGER_MS = 500;

export interface RelayDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly handlers: EffectHandlers;
  readonly onGivenUp: (kind: ActorKind, id: string, reason: string) => Promise<void>;
  /** False for a document of a version that this process does not know. */
  readonly isMine: (from: OutboxCollection, id: string) => Promise<boolean>;
  /** Hears of a document whose next effect waits: what it holds is not known here any more. */
  readonly onStopped: (id: string) => void;
}

/** A document whose outbox is not empty. */
export interface Laden {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly outbox: readonly OutboxItem[];
  readonly relayFailures: number;
}

/** The effects of one document that this process is carrying out, in the order of its outbox. */
interface Chain {
  readonly source: EffectSource;
  readonly failures: number;
  waiting: OutboxItem[];
  /** Everything taken over and not yet out of the stored outbox: what a stale read shows again is not run again. */
  readonly known: Set<string>;
  done: string[];
  /** How many have been begun and end later. */
  later: number;
  /** All of `done` has been handed on: the event that will come of it clears the outbox. */
  isHanded: boolean;
  /** It will be told more in a moment, and the write of that will clear the outbox. */
  isAwaited: boolean;
  /** When the last of `done` was decided. */
  decidedAt: Date;
  running: boolean;
  acking: boolean;
  listeners: (() => void)[];
  /** Told when what has run is out of the stored outbox. */
  ackListeners: (() => void)[];
}

type Trouble = Exclude<EffectEnd, 'done' | 'handed'>;

interface Row {
  readonly chain: Chain;
  readonly item: OutboxItem;
}

/**
 * Carries out effects: those of one document one after another in the order of its outbox, those of different documents
 * together, batched by type. What has run is taken out of the stored outbox. What fails is tried again later, and stops the
 * document's later effects until then. Everything may run twice, also in another process; handlers are keyed by effect id.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #chains = new Map<string, Chain>();
  /** By the type of their leading effect, each in the order in which they became ready. */
  readonly #ready = new Map<string, Set<Chain>>();
  readonly #batches = new Map<string, number>();
  #acks: Chain[] = [];
  #acking = false;
  /** What has been handed on, the oldest first, with the moment (of the process) at which it is taken out by itself. */
  readonly #handed = new Map<Chain, number>();
  #handedTimer: NodeJS.Timeout | null = null;
  readonly #gone = new Gone();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over what a document's outbox holds; what is known already is left as it is. `isAwaited`: it will be told more in a
   * moment, so what has run is left to the write of that for a while.
   */
  take(collection: OutboxCollection, doc: Laden, isAwaited = false): void {
    const left = doc.outbox.filter(({ id }) => !this.#gone.has(id));
    if (left.length === 0) return;
    const chain = this.#chainOf(collection, doc);
    chain.isAwaited = isAwaited;
    for (const item of left) {
      if (chain.known.has(item.id)) continue;
      chain.known.add(item.id);
      chain.waiting.push(item);
    }
    this.#makeReady(chain);
    queueMicrotask(() => this.#pump());
  }

  /** Resolves when everything taken over of this document has run or has stopped at a failure. */
  async settled(id: string): Promise<void> {
    const chain = this.#chains.get(id);
    if (!chain || (chain.waiting.length === 0 && !chain.running)) return;
    await new Promise<void>((resolve) => chain.listeners.push(resolve));
  }

  /**
   * The same, and what has run is out of the stored outbox: whoever reads that next finds nothing that would be run again.
   */
  async acked(id: string): Promise<void> {
    await this.settled(id);
    const chain = this.#chains.get(id);
    if (!chain) return;
    if (this.#handed.has(chain)) this.#ackNow(chain);
    await new Promise<void>((resolve) => chain.ackListeners.push(resolve));
  }

  /** Whether this process has carried out all of these, and a write may take them out of the document's outbox. */
  hasDone(id: string, items: readonly OutboxItem[]): boolean {
    const chain = this.#chains.get(id);
    if (!chain || !this.#handed.has(chain)) return false;
    const done = new Set(chain.done);
    return items.every((item) => done.has(item.id) || this.#gone.has(item.id));
  }

  /** Of what a document's outbox held when it was read what may still be in it. */
  left(items: readonly OutboxItem[]): readonly OutboxItem[] {
    return items.some(({ id }) => this.#gone.has(id)) ? items.filter(({ id }) => !this.#gone.has(id)) : items;
  }

  /** A commit has taken all out of the stored outbox that this process had carried out. */
  cleared(id: string): void {
    const chain = this.#chains.get(id);
    if (!chain || !this.#handed.delete(chain)) return;
    this.#noteGone(chain, chain.done.splice(0));
    if (isOver(chain)) this.#forget(chain);
  }

  /** True while an effect of any document waits, runs or is being taken out of its outbox. */
  isBusy(): boolean {
    return this.#chains.size > 0;
  }

  #chainOf(collection: OutboxCollection, doc: Laden): Chain {
    const known = this.#chains.get(doc._id);
    if (known) return known;
    const source = { collection, id: doc._id, merchantId: doc.merchantId, mode: doc.mode };
    const chain: Chain = {
      source,
      failures: doc.relayFailures,
      waiting: [],
      known: new Set(),
      done: [],
      later: 0,
      isHanded: true,
      isAwaited: false,
      decidedAt: new Date(0),
      running: false,
      acking: false,
      listeners: [],
      ackListeners: [],
    };
    this.#chains.set(doc._id, chain);
    return chain;
  }

  #makeReady(chain: Chain): void {
    const type = chain.waiting[0]?.effect.type;
    if (chain.running || type === undefined) return;
    const ready = this.#ready.get(type);
    if (ready) ready.add(chain);
    else this.#ready.set(type, new Set([chain]));
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

  #begin(type: string, chains: readonly Chain[]): void {
    for (const chain of chains) chain.running = true;
    this.#batches.set(type, this.#underWay(type) + 1);
    this.#run(type, chains).finally(() => {
      this.#batches.set(type, this.#underWay(type) - 1);
      for (const chain of chains) this.#continue(chain);
      this.#pump();
    });
  }

  /** Runs the leading effect of each document; of journal rows, which no order binds, as many as stand in a row. */
  async #run(type: string, chains: readonly Chain[]): Promise<void> {
    const rows = chains.flatMap((chain) => leading(chain, type).map((item) => ({ chain, item })));
    const attributes = () => ({
      'tideline.effect': type,
      'tideline.count': rows.length,
      'tideline.ids': rows.slice(0, TRACED_MAX).map(({ item }) => item.id),
    });
    const results = await traced({ name: `relay ${type}`, attributes }, () => this.#handle(type, rows));
    const failed = new Map<Chain, Trouble>();
    for (const [index, { chain, item }] of rows.entries()) {
      if (failed.has(chain)) continue;
      const result = results[index] ?? { failed: new Error(`the handler of ${type} gave no result`) };
      if (result === 'done' || result === 'handed') chain.waiting.shift();
      else if ('later' in result) {
        chain.waiting.shift();
        this.#await(chain, item, result.later);
        continue;
      } else {
        failed.set(chain, result);
        continue;
      }
      chain.isHanded = result === 'handed' && (chain.done.length === 0 || chain.isHanded);
      chain.done.push(item.id);
      chain.decidedAt = item.at;
    }
    await Promise.all([...failed].map(([chain, result]) => this.#stop(chain, result)));
  }

  /** Of what fails in the end, the relay job takes up what is still stored. */
  #await(chain: Chain, item: OutboxItem, later: Promise<EffectEnd>): void {
    chain.later += 1;
    chain.isHanded = false;
    void later
      .catch((error: unknown): Trouble => ({ failed: asError(error) }))
      .then(async (end) => {
        if (end === 'done' || end === 'handed') chain.done.push(item.id);
        else {
          chain.known.delete(item.id);
          await this.#note(chain, item, end);
        }
        chain.later -= 1;
        if (!chain.running && chain.waiting.length === 0 && !chain.acking) this.#queueAck(chain);
      });
  }

  /** What fails as a whole is run again one by one, so that one bad effect is the failure of its own document alone. */
  async #handle(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    try {
      return await this.#carryOut(type, rows);
    } catch (error) {
      if (error instanceof StoreUnavailable) return rows.map(() => ({ held: error.message }));
      if (rows.length === 1) return [{ failed: asError(error) }];
      this.#deps.log.warn(
        { type, effects: rows.length, err: error },
        'a batch of effects has failed; each is run alone',
      );
      const alone = await Promise.all(rows.map((row) => this.#handle(type, [row])));
      return alone.flat();
    }
  }

  async #carryOut(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    const { fault, store, handlers } = this.#deps;
    await fault('relay.effect.before', type);
    const journalRows = rows.map(({ item }) => item.effect);
    const results =
      type === 'journal'
        ? await writeJournal(store, journalRows)
        : await runTyped(
            handlers,
            rows.map(({ chain, item }) => itemOf(chain.source, item)),
          );
    await fault('relay.effect.after', type);
    return results;
  }

  /** Leaves the rest of the document to the relay job, which takes it up again from what is stored. */
  async #stop(chain: Chain, result: Trouble): Promise<void> {
    const left = chain.waiting.splice(0);
    for (const { id } of left) chain.known.delete(id);
    await this.#note(chain, left[0], result);
  }

  async #note(chain: Chain, stopped: OutboxItem | undefined, result: Trouble): Promise<void> {
    const { source } = chain;
    this.#deps.onStopped(source.id);
    const why = whyOf(result);
    this.#deps.log.warn({ actor: source.id, effect: stopped?.id, type: stopped?.effect.type, why }, 'an effect waits');
    const now = this.#deps.clock().getTime();
    try {
      const isFailure = await this.#isFailure(source, result);
      const pauseMs = isFailure ? pauseAfter(chain.failures) : pauseOfHeld(now - (stopped?.at.getTime() ?? now));
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
      this.#deps.log.error({ actor: source.id, err: error }, 'could not note a failed effect');
    }
  }

  /** What only newer code can carry out, for it is at work on the sender or on the receiver, is nobody's failure. */
  async #isFailure({ collection, id }: EffectSource, result: Trouble): Promise<boolean> {
    if (!('failed' in result) || result.failed instanceof UnknownVersion) return false;
    return this.#deps.isMine(collection, id);
  }

  #continue(chain: Chain): void {
    chain.running = false;
    if (chain.waiting.length > 0) {
      this.#makeReady(chain);
      return;
    }
    tell(chain.listeners);
    if (!chain.acking) this.#queueAck(chain);
  }

  #queueAck(chain: Chain): void {
    if (chain.done.length === 0) {
      if (isOver(chain)) this.#forget(chain);
      return;
    }
    if (this.#mayLinger(chain) && chain.ackListeners.length === 0) this.#ackLater(chain);
    else this.#ackNow(chain);
  }

  #mayLinger({ isHanded, isAwaited, decidedAt }: Chain): boolean {
    return isHanded || (isAwaited && this.#deps.clock().getTime() - decidedAt.getTime() <= LINGER_MS);
  }

  #ackNow(chain: Chain): void {
    this.#handed.delete(chain);
    chain.acking = true;
    this.#acks.push(chain);
    queueMicrotask(() => void this.#pumpAcks());
  }

  #ackLater(chain: Chain): void {
    this.#handed.set(chain, performance.now() + HANDED_MS);
    this.#handedTimer ??= setTimeout(() => this.#ackOverdue(), HANDED_MS).unref();
  }

  #ackOverdue(): void {
    this.#handedTimer = null;
    const now = performance.now();
    for (const [chain, at] of this.#handed) {
      if (at > now) {
        this.#handedTimer = setTimeout(() => this.#ackOverdue(), at - now).unref();
        return;
      }
      this.#ackNow(chain);
    }
  }

  /** One write per collection takes what has run out of all outboxes; what ends meanwhile goes into the next one. */
  async #pumpAcks(): Promise<void> {
    if (this.#acking) return;
    this.#acking = true;
    while (this.#acks.length > 0) {
      const chains = this.#acks.splice(0, BATCH_MAX);
      await Promise.all([...byCollection(chains)].map(([from, group]) => this.#ack(from, group)));
    }
    this.#acking = false;
  }

  async #ack(from: OutboxCollection, chains: readonly Chain[]): Promise<void> {
    const done = chains.map((chain) => ({ id: chain.source.id, effectIds: chain.done.splice(0) }));
    try {
      await this.#deps.store.outboxes.ack(from, done);
      for (const [index, chain] of chains.entries()) this.#noteGone(chain, done[index]?.effectIds ?? []);
      await this.#deps.fault('relay.ack.after', from);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'effects that have run stay in their outboxes for now');
    }
    for (const [index, chain] of chains.entries()) this.#acked(chain, done[index]?.effectIds ?? []);
  }

  #acked(chain: Chain, effectIds: readonly string[]): void {
    chain.acking = false;
    for (const id of effectIds) chain.known.delete(id);
    if (!isOver(chain) || chain.done.length > 0) {
      if (chain.later === 0) tell(chain.ackListeners);
      if (!chain.running && chain.waiting.length === 0) this.#queueAck(chain);
      return;
    }
    this.#forget(chain);
  }

  /** These are out of the stored outbox, and come into none again. */
  #noteGone(chain: Chain, effectIds: readonly string[]): void {
    for (const id of effectIds) {
      chain.known.delete(id);
      this.#gone.add(id);
    }
  }

  #forget(chain: Chain): void {
    this.#chains.delete(chain.source.id);
    tell(chain.ackListeners);
  }
}

function tell(listeners: (() => void)[]): void {
  for (const resolve of listeners.splice(0)) resolve();
}

/** Takes out up to so many, the first first. */
function takenFrom(ready: Set<Chain>, most: number): Chain[] {
  const taken: Chain[] = [];
  for (const chain of ready) {
    if (taken.length === most) break;
    taken.push(chain);
    ready.delete(chain);
  }
  return taken;
}

/** Nothing of it waits or is under way. */
function isOver(chain: Chain): boolean {
  return !chain.running && chain.waiting.length === 0 && chain.later === 0;
}

function leading(chain: Chain, type: string): OutboxItem[] {
  if (type !== 'journal') return chain.waiting.slice(0, 1);
  const end = chain.waiting.findIndex((item) => item.effect.type !== type);
  return end < 0 ? [...chain.waiting] : chain.waiting.slice(0, end);
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
  return collection === 'subscription' || collection === 'payment' || collection === 'delivery';
}

function byCollection(chains: readonly Chain[]): Map<OutboxCollection, Chain[]> {
  const groups = new Map<OutboxCollection, Chain[]>();
  for (const chain of chains) {
    const group = groups.get(chain.source.collection) ?? [];
    group.push(chain);
    groups.set(chain.source.collection, group);
  }
  return groups;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function pauseAfter(failures: number): number {
  return doubled(RETRY_MS.first, failures, RETRY_MS.most);
}

function pauseOfHeld(waitedMs: number): number {
  return Math.min(RETRY_MS.most, Math.max(RETRY_MS.first, waitedMs));
}

/** All items of a batch have the type of the first; the table has a handler for every type. */
async function runTyped(handlers: EffectHandlers, items: readonly EffectItem[]): Promise<readonly EffectResult[]> {
  const [first] = items;
  return first ? runOf(handlers, first.effect.type, items) : [];
}

function runOf<T extends EffectType>(handlers: EffectHandlers, type: T, items: readonly EffectItem[]) {
  return handlers[type](items.filter(isOf(type)));
}

function isOf<T extends EffectType>(type: T) {
  return (item: EffectItem): item is EffectItem<EffectOf<T>> => item.effect.type === type;
}
