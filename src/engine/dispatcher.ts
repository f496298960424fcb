import type { Effect } from '../../machines/effects.ts';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { Machines } from '../../machines/versions.ts';
import { Fault, internalFault } from '../errors/fault.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import { needsHead } from '../store/actors/heads.ts';
import type { ActorDoc, ActorKind, LoggedEvent, OutboxItem, StoredActor } from '../store/documents.ts';
import { Unstorable } from '../store/errors.ts';
import { newId } from '../store/ids.ts';
import type { BetweenWrites, Commit, CommitVerdict, Store } from '../store/port.ts';
import { type Admits, type Advance, advance, type BeforeBatch, type Follows, type Taking } from './advance.ts';
import { type FaultHook, type FaultPoint, noFaults } from './faults.ts';
import type { Dispatch, Dispatched } from './types.ts';
import { isKnown, UnknownVersion, type WriteVersions } from './upcast.ts';

/** The most flushes at a time, and the most actors in one (measured: few and small are fastest). */
const FLUSHES_MAX = 4;
const ACTORS_PER_FLUSH_MAX = 250;

/** The fewest actors of a batch in one flush: each flush costs a read, a write, and a write of outboxes. */
const BATCH_SHARE_MIN = 64;

/** A caller gets an error when its write has lost this often against other processes. */
const ATTEMPTS_MAX = 64;

/**
 * Other processes may run a document's effects this long after its last commit, milliseconds, or later if this one is
 * slow.
 */
export const RELAY_GRACE_MS = 2_000;

export interface DispatcherDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly machines: Machines;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly writes: WriteVersions;
  readonly admits: Admits;
  readonly follows: Follows | undefined;
  readonly beforeBatch: BeforeBatch;
  readonly isChecked: Taking['isChecked'];
  /** Called after every commit, with the document as stored. `relayAt`: of the outbox that it stored; null: none. */
  readonly onCommitted: (doc: StoredActor, relayAt: Date | null) => void;
  /** Called for every event that was taken and stored, with the document as stored. */
  readonly onTaken: (doc: ActorDoc, event: Dispatch['event']) => void;
  readonly onPoisoned: (doc: ActorDoc, reason: string) => Promise<void>;
  /** An actor as this process has just written or read it, if it is cached. */
  readonly remembered: (id: string) => StoredActor | undefined;
  /** How long the effects of an outbox are this process's own after a commit, milliseconds. */
  readonly graceMs: () => number;
  /** Called when a cached or given document did not suffice. */
  readonly onStale: (id: string) => void;
}

interface Waiting {
  readonly request: Dispatch;
  readonly resolve: (result: Dispatched) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

interface Queue {
  readonly kind: ActorKind;
  readonly id: string;
  waiting: Waiting[];
  busy: boolean;
  /** The `dispatchMany` that made the queue ready; null: a single `dispatch`. */
  batch: object | null;
}

/** A document to work from. One that is not fresh decides only a conditional write. */
interface Found {
  readonly doc: StoredActor;
  readonly isFresh: boolean;
}

/** The result of one flush for one actor, not stored yet. */
interface Plan {
  readonly queue: Queue;
  readonly taken: readonly {
    readonly waiting: Waiting;
    readonly changed: boolean;
    readonly result: (doc: StoredActor) => Dispatched;
  }[];
  readonly doc: StoredActor;
  readonly commit: Commit | null;
}

interface Writing extends Plan {
  readonly commit: Commit;
  /** Of its outbox; null: the commit has no effects. */
  readonly relayAt: Date | null;
}

/** The plan with the outbox of its effects, if it has any. */
function inOutbox(plan: Writing, outboxId: string, relayAt: Date): Writing {
  if (plan.commit.effects.length === 0) return plan;
  const doc = { ...plan.doc, outboxId };
  return { ...plan, relayAt, doc, commit: { ...plan.commit, after: doc } };
}

/**
 * Makes every change of an actor. An actor takes its events one by one. All events that wait for one actor go into one
 * write, and the writes of different actors go into one batch. A write that lost against another process is decided
 * again from the stored document.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #queues = new Map<string, Queue>();
  #ready: Queue[] = [];
  #flushes = 0;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Resolves when the outcome is durable. Rejects if the outcome is unknown or the database does not answer. */
  dispatch(request: Dispatch): Promise<Dispatched> {
    return this.#enqueue(request, null);
  }

  /** As `dispatch`, for each request; they are read and written together. */
  dispatchMany(requests: readonly Dispatch[]): Promise<Dispatched[]> {
    const batch = requests.length > 1 ? {} : null;
    return Promise.all(requests.map((request) => this.#enqueue(request, batch)));
  }

  #enqueue(request: Dispatch, batch: object | null): Promise<Dispatched> {
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(request);
      queue.waiting.push({ request, resolve, reject, attempts: 0 });
      if (!queue.busy && queue.waiting.length === 1) {
        queue.batch = batch;
        this.#ready.push(queue);
      }
      queueMicrotask(() => this.#pump());
    });
  }

  #queueOf({ kind, id }: Dispatch): Queue {
    const known = this.#queues.get(id);
    if (known) return known;
    const queue: Queue = { kind, id, waiting: [], busy: false, batch: null };
    this.#queues.set(id, queue);
    return queue;
  }

  #pump(): void {
    while (this.#flushes < FLUSHES_MAX && this.#ready.length > 0) {
      const mine = this.#next();
      const chosen = new Set(mine);
      this.#ready = this.#ready.filter((queue) => !chosen.has(queue));
      for (const queue of mine) queue.busy = true;
      this.#flushes += 1;
      this.#flush(mine).finally(() => {
        this.#flushes -= 1;
        this.#release(mine);
        this.#pump();
      });
    }
  }

  /**
   * The queues of the next flush. Single requests are divided among the free flushes, so that none waits for all
   * others. A batch is divided into parts of at least BATCH_SHARE_MIN, because its caller waits for all of it.
   */
  #next(): Queue[] {
    const [first] = this.#ready;
    const alike = this.#ready.filter(({ kind, batch }) => kind === first?.kind && batch === first.batch);
    const share = Math.ceil(alike.length / (FLUSHES_MAX - this.#flushes));
    const least = first?.batch === null ? 1 : BATCH_SHARE_MIN;
    return alike.slice(0, Math.min(Math.max(share, least), ACTORS_PER_FLUSH_MAX));
  }

  #release(queues: readonly Queue[]): void {
    for (const queue of queues) {
      queue.busy = false;
      queue.batch = null;
      if (queue.waiting.length > 0) this.#ready.push(queue);
      else this.#queues.delete(queue.id);
    }
  }

  async #flush(queues: readonly Queue[]): Promise<void> {
    const [first] = queues;
    if (!first) return;
    try {
      // A wake during this read waits for the next read: these documents may be older than its cause.
      const counts = new Map(queues.map((queue) => [queue, queue.waiting.length]));
      const docs = await this.#load(first.kind, queues);
      await this.#deps.beforeBatch([...docs.values()].map(({ doc }) => doc));
      const plans = queues.map((queue) => {
        return this.#plan(queue, queue.waiting.splice(0, counts.get(queue)), docs.get(queue.id));
      });
      await this.#store(
        first.kind,
        plans.filter((plan) => plan !== null),
      );
    } catch (error) {
      for (const waiting of queues.flatMap((queue) => queue.waiting.splice(0))) waiting.reject(error);
    }
  }

  async #load(kind: ActorKind, queues: readonly Queue[]): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    const unseen: string[] = [];
    for (const { id, waiting } of queues) {
      const only = waiting.length === 1 ? waiting[0] : undefined;
      const given = only?.attempts === 0 ? only.request.seen : undefined;
      const isFirst = waiting.every(({ attempts }) => attempts === 0);
      const seen = given ?? (isFirst ? this.#deps.remembered(id) : undefined);
      if (seen) found.set(id, { doc: seen, isFresh: false });
      else unseen.push(id);
    }
    const docs = unseen.length > 0 ? await this.#deps.store.actors.load(kind, unseen) : [];
    for (const doc of docs) found.set(doc._id, { doc, isFresh: true });
    return found;
  }

  /**
   * Applies these events of one actor, in memory. What one sender has sent after a refused message is refused
   * too: taken, it would make the repeated first one a duplicate. Null: nothing remains to store or answer.
   */
  #plan(queue: Queue, all: readonly Waiting[], found: Found | undefined): Plan | null {
    if (!found) {
      for (const waiting of all) waiting.resolve({ kind: 'missing' });
      return null;
    }
    if (this.#turnsAway(queue, all, found)) return null;
    const { doc, isFresh } = found;
    const now = this.#deps.clock();
    const taken: Plan['taken'][number][] = [];
    const items: OutboxItem[] = [];
    const events: LoggedEvent[] = [];
    let next = doc;
    const stopped = new Set<string>();
    for (const [index, waiting] of all.entries()) {
      const from = waiting.request.sender?.id ?? null;
      if (from !== null && stopped.has(from)) {
        taken.push({ waiting, changed: false, result: resultOf(REFUSED, next) });
        continue;
      }
      const advanced = this.#advance(next, waiting, now);
      if (from !== null && isRefusal(advanced)) stopped.add(from);
      if (!(advanced instanceof Fault) && advanced.outcome === 'malformed') {
        waiting.reject(internalFault(`${queue.id}: ${advanced.why}`));
        continue;
      }
      const isTaken = !(advanced instanceof Fault) && advanced.outcome === 'taken';
      if (!isTaken && !isFresh && next === doc) {
        this.#again(queue, all.slice(index));
        return null;
      }
      if (advanced instanceof Fault) {
        this.#poisoned(doc, all, advanced);
        return null;
      }
      taken.push({ waiting, changed: advanced.outcome === 'taken', result: resultOf(advanced, next) });
      if (advanced.outcome !== 'taken') continue;
      next = advanced.doc;
      items.push(...advanced.items);
      events.push(...advanced.logged);
    }
    if (next === doc) return { queue, taken, doc, commit: null };
    const outbox = [...doc.outbox, ...items];
    const after = { ...next, outbox, headRev: needsHead(doc, next) ? next.rev : doc.headRev };
    const commit = { before: doc, after, events, effects: items.length > 0 ? outbox : [] };
    return { queue, taken, doc: after, commit };
  }

  /**
   * Answers the callers if the document takes no events, or none in this process. A version never goes back, so even a
   * stale document shows that its version is unknown here.
   */
  #turnsAway(queue: Queue, all: readonly Waiting[], { doc, isFresh }: Found): boolean {
    const { machines } = this.#deps;
    if (doc.quarantine) {
      if (!isFresh) this.#again(queue, all);
      else for (const waiting of all) waiting.resolve({ kind: 'quarantined', doc });
      return true;
    }
    if (!isKnown(machines, doc)) {
      for (const waiting of all) waiting.reject(new UnknownVersion(machines, doc));
      return true;
    }
    return false;
  }

  /** A Fault: the document is unsound, whatever the event. */
  #advance(doc: StoredActor, waiting: Waiting, now: Date): Advance | Fault {
    const { event, by, sender } = waiting.request;
    try {
      const { admits, follows, machines, writes, isChecked } = this.#deps;
      const taking = { now, admits, follows, writes, isChecked };
      return advance(machines, doc, { event, by, sender: sender ?? null }, taking);
    } catch (cause) {
      return internalFault(`cannot take ${event.type}: ${messageOf(cause)}`, cause);
    }
  }

  /** Rejects the senders only after the quarantine is stored, so that the document is not found due again. */
  #poisoned(doc: ActorDoc, senders: readonly Waiting[], why: Fault): void {
    const { log } = this.#deps;
    log.error({ actor: doc._id, err: why.cause, why: why.internal }, 'an actor is unsound and will be quarantined');
    this.#deps
      .onPoisoned(doc, why.internal ?? why.message)
      .catch((error: unknown) => log.error({ actor: doc._id, err: error }, QUARANTINE_FAILED))
      .finally(() => {
        for (const sender of senders) sender.reject(why);
      });
  }

  async #store(kind: ActorKind, plans: readonly Plan[]): Promise<void> {
    const writing = plans.flatMap(({ commit, ...plan }) =>
      commit === null ? [] : [{ ...plan, commit, relayAt: null }],
    );
    try {
      await this.#atFault('commit.before', plans);
      const between: BetweenWrites = (point) => this.#atFault(point, plans);
      const stored = writing.length === 0 ? [] : await this.#commit(kind, writing, between);
      await this.#atFault('commit.after', plans);
      for (const [plan, verdict] of stored) this.#conclude(plan, verdict);
    } catch (error) {
      for (const { waiting } of writing.flatMap((plan) => plan.taken)) waiting.reject(error);
    }
    for (const plan of plans) if (plan.commit === null) answer(plan);
  }

  /** Stores each commit alone if one cannot be stored, because the store has then written none of the batch. */
  async #commit(
    kind: ActorKind,
    plans: readonly Writing[],
    between: BetweenWrites,
  ): Promise<(readonly [Writing, CommitVerdict | Unstorable])[]> {
    const at = this.#deps.clock();
    const op = newId('op', at);
    const relayAt = new Date(at.getTime() + this.#deps.graceMs());
    const named = plans.map((plan) => inOutbox(plan, op, relayAt));
    try {
      const commits = named.map(({ commit }) => commit);
      const verdicts = await this.#deps.store.actors.commit(kind, { op, at, relayAt, commits }, between);
      return named.map((plan, index) => [plan, verdicts[index] ?? 'lost'] as const);
    } catch (error) {
      if (!(error instanceof Unstorable)) throw error;
      const [only, ...others] = named;
      if (only === undefined || others.length === 0) return named.map((plan) => [plan, error] as const);
      const alone = await Promise.all(plans.map((plan) => this.#commit(kind, [plan], between)));
      return alone.flat();
    }
  }

  #conclude(plan: Writing, verdict: CommitVerdict | Unstorable): void {
    if (verdict instanceof Unstorable) {
      for (const { waiting } of plan.taken) waiting.reject(verdict);
      return;
    }
    switch (verdict) {
      case 'applied':
        this.#report(plan);
        this.#deps.onCommitted(plan.doc, plan.relayAt);
        answer(plan);
        return;
      case 'lost':
        this.#again(
          plan.queue,
          plan.taken.map(({ waiting }) => waiting),
        );
        return;
      default:
        unknownCase(verdict, 'verdict');
    }
  }

  #report({ taken, doc }: Plan): void {
    for (const { waiting, changed } of taken) {
      const { event, by } = waiting.request;
      if (changed) this.#deps.onTaken(doc, event);
      this.#deps.log.info({ actor: doc._id, event: event.type, by, status: doc.status, rev: doc.rev }, 'event taken');
    }
  }

  /** Puts requests back at the head of their queue, in order, to be decided from a fresh document. */
  #again(queue: Queue, again: readonly Waiting[]): void {
    this.#deps.onStale(queue.id);
    for (const waiting of again) waiting.attempts += 1;
    queue.waiting.unshift(...again.filter(({ attempts }) => attempts < ATTEMPTS_MAX));
    for (const { request, reject } of again.filter(({ attempts }) => attempts >= ATTEMPTS_MAX)) {
      const internal = `${queue.id} ${request.event.type}: lost ${ATTEMPTS_MAX} times against other writers`;
      reject(internalFault(internal));
    }
  }

  async #atFault(point: FaultPoint, plans: readonly Plan[]): Promise<void> {
    if (this.#deps.fault === noFaults) return;
    const details = new Set<string>();
    for (const { commit, taken } of plans) {
      for (const { waiting } of taken) details.add(waiting.request.event.type);
      for (const { effect } of commit?.effects ?? []) details.add(effect.type);
    }
    for (const detail of details) await this.#deps.fault(point, detail);
  }
}

/** The answer to one event. If it was taken: the document as finally stored; otherwise: the document at that moment. */
function resultOf(
  advanced: Exclude<Advance, { outcome: 'malformed' }>,
  then: StoredActor,
): (stored: StoredActor) => Dispatched {
  switch (advanced.outcome) {
    case 'taken':
      return (stored) => ({ kind: 'taken', doc: stored, changed: true, effects: advanced.effects });
    case 'unchanged':
      return () => ({ kind: 'taken', doc: then, changed: false, effects: NO_EFFECTS });
    case 'refused':
      return () => ({ kind: 'refused', doc: then });
    default:
      return unknownCase(advanced, 'outcome');
  }
}

const REFUSED = { outcome: 'refused' } as const;

function isRefusal(advanced: Advance | Fault): boolean {
  return !(advanced instanceof Fault) && (advanced.outcome === 'malformed' || advanced.outcome === 'refused');
}

const NO_EFFECTS: readonly Effect[] = [];

const QUARANTINE_FAILED = 'the quarantine of an actor was not stored; the next event for the actor tries again';

function answer({ taken, doc }: Plan): void {
  for (const { waiting, result } of taken) waiting.resolve(result(doc));
}
