import { unknownCase } from '../../machines/unknown-case.ts';
import { internalFault } from '../errors/fault.ts';
import { type Attributes, traced } from '../observability/tracing.ts';
import { needsHead } from '../store/actors/heads.ts';
import type { ActorDoc, ActorKind, OutboxSource, StoredActor } from '../store/documents.ts';
import { newId, partitionOf } from '../store/ids.ts';
import type { Commit } from '../store/port.ts';
import { storeLeases, Workers } from '../store/workers.ts';
import { ActorCache } from './actor-cache.ts';
import { type Admits, type Advance, advance, type BeforeBatch, type Follows, type Taking } from './advance.ts';
import { CommitListeners, DueAtCommit } from './commit-listeners.ts';
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
import { type Admit, DUE_LEASE_MS, DueActors, type Touch } from './due.ts';
import { type DueEvents, dispatchBatch } from './due-batch.ts';
import type { FaultPoint } from './faults.ts';
import { relayLeftBehind } from './left-behind.ts';
import { projectionOf } from './projection.ts';
import { setQuarantine } from './quarantine.ts';
import { Relay, type Relayed } from './relay.ts';
import { Scanner } from './scanner.ts';
import { initialState, inputOf } from './step.ts';
import type { Create, Created, Dispatch, Dispatched, EffectHandlers, Meters, RemoteEngine } from './types.ts';
import { unsoundnessOf, versionOf, type WriteVersions, writtenVersion } from './upcast.ts';

/** How often `when` reads an actor for changes by other processes, milliseconds. */
const ASK_MS = 500;

export interface EngineDeps extends Pick<DispatcherDeps, 'store' | 'clock' | 'machines' | 'log' | 'fault'> {
  /** Default: `performance.now`. */
  readonly elapsed?: () => number;
  /** The version in which this process writes each kind. Default: the newest. */
  readonly writes?: WriteVersions;
  /** True if this process dispatches due actors; a process that only serves the API leaves that to the workers. */
  readonly dispatchesDue: boolean;
  /** The workers that share due work. Default: this process alone. */
  readonly workers?: Workers;
  readonly meters?: Meters;
  readonly isChecked?: Taking['isChecked'];
  /** Set in a process that only serves requests: it changes no actor itself. */
  readonly remote?: RemoteEngine | undefined;
}

const NOTHING_BEFORE: BeforeBatch = async () => {};

/** What the domain supplies to the engine, once, before the first event. */
export interface Domain {
  /** null: this process runs no effects. */
  readonly handlers: EffectHandlers | null;
  readonly dueEvents: DueEvents;
  /** Absent: all due actors are dispatched at once. */
  readonly admit?: Admit;
  readonly admits: Admits;
  /** Absent: a change of a document has no effects except those of its machine. */
  readonly follows?: Follows;
  /** Absent: `admits` needs nothing read first. */
  readonly beforeBatch?: BeforeBatch;
  /**
   * Hint that another event for this actor follows soon: a process that dispatches due actors keeps it cached. Absent:
   * no hint.
   */
  readonly isAwaited?: (doc: ActorDoc) => boolean;
}

/**
 * Machines decide, the engine commits, effects act. The engine knows no domain: machines and effect handlers are
 * parameters.
 */
export class Engine {
  readonly #deps: EngineDeps;
  readonly #dispatcher: Dispatcher;
  readonly #relay: Relay;
  readonly #due: DueActors;
  readonly #dueAtCommit: DueAtCommit;
  readonly #scanner: Scanner;
  readonly #listeners = new CommitListeners();
  readonly #actorCache = new ActorCache();
  readonly #isAwaited: (doc: ActorDoc) => boolean;
  readonly #admits: Admits;
  readonly #beforeBatch: BeforeBatch;
  readonly #writes: WriteVersions;
  #interrupted = false;

  constructor(deps: EngineDeps, domainOf: (engine: Engine) => Domain) {
    this.#deps = deps;
    const domain = domainOf(this);
    this.#admits = domain.admits;
    this.#beforeBatch = domain.beforeBatch ?? NOTHING_BEFORE;
    // Events come from the workers, so a cached actor of another process would be stale.
    this.#isAwaited = (deps.dispatchesDue && domain.isAwaited) || (() => false);
    this.#writes = deps.writes ?? {};
    const { store, clock, log, fault, machines } = deps;
    const quarantine = (doc: { kind: ActorKind; _id: string }, reason: string) =>
      this.quarantine(doc.kind, doc._id, reason);
    this.#scanner = new Scanner({ store, clock, machines });
    this.#relay = new Relay({
      store,
      clock,
      log,
      fault,
      handlers: domain.handlers ?? {},
      onGivenUp: (kind, id, reason) => this.quarantine(kind, id, reason),
      mine: (from, ids) => this.#scanner.mine(from, ids),
      onStopped: (id) => this.#actorCache.forget(id),
    });
    this.#dispatcher = new Dispatcher({
      store,
      clock,
      log,
      fault,
      machines,
      writes: this.#writes,
      admits: domain.admits,
      follows: domain.follows,
      beforeBatch: this.#beforeBatch,
      isChecked: deps.isChecked,
      onCommitted: (doc, relayAt) => this.#committed(doc, relayAt),
      onTaken: (doc, event) => deps.meters?.taken(doc, event),
      onPoisoned: quarantine,
      remembered: (id) => this.#actorCache.of(id),
      graceMs: () => this.#relay.graceMs(),
      onStale: (id) => this.#actorCache.forget(id),
    });
    const batch = {
      clock,
      log,
      quarantine,
      dueEvents: domain.dueEvents,
      dispatch: (request: Dispatch) => this.dispatch(request),
      unsoundness: (doc: StoredActor) => unsoundnessOf(machines, doc),
    };
    const dispatch = (docs: readonly StoredActor[]) => dispatchBatch(batch, docs);
    const { records } = store;
    const workers = deps.workers ?? new Workers({ records });
    this.#due = new DueActors({
      scanner: this.#scanner,
      leases: storeLeases({ records, workers, leaseMs: DUE_LEASE_MS, clock }),
      workers,
      admit: domain.admit ?? (async (docs) => ({ docs })),
      dispatch,
    });
    this.#dueAtCommit = new DueAtCommit(log, dispatch);
  }

  /** The only way to change an actor. Resolves when the outcome is durable; its effects run afterwards. */
  dispatch(request: Dispatch): Promise<Dispatched> {
    const { kind, id, event } = request;
    const attributes = () => ({ 'tideline.kind': kind, 'tideline.id': id, 'tideline.event': event.type });
    const { remote } = this.#deps;
    const decide = () => (remote ? remote.dispatch(request) : this.#dispatcher.dispatch(request));
    return traced({ name: 'dispatch', attributes, outcome: outcomeOf }, decide);
  }

  /** As `dispatch`, for many: one read and one write per batch. Results are in the order of the requests. */
  dispatchMany(requests: readonly Dispatch[]): Promise<Dispatched[]> {
    const attributes = () => ({ 'tideline.kind': requests[0]?.kind ?? 'none', 'tideline.count': requests.length });
    const { remote } = this.#deps;
    const decide = () =>
      remote ? Promise.all(requests.map((each) => remote.dispatch(each))) : this.#dispatcher.dispatchMany(requests);
    return traced({ name: 'dispatch many', attributes }, decide);
  }

  /**
   * The actors that exist, in no particular order, cached or as stored. A cached one may be stale, so use it for fields
   * that events do not change, or where a conditional write follows.
   */
  async recall(kind: ActorKind, ids: readonly string[]): Promise<StoredActor[]> {
    const known = ids.flatMap((id) => this.#actorCache.of(id) ?? []);
    if (known.length === ids.length) return known;
    const knows = new Set(known.map(({ _id }) => _id));
    const read = await this.#deps.store.actors.load(
      kind,
      ids.filter((id) => !knows.has(id)),
    );
    for (const doc of read) if (this.#isAwaited(doc)) this.#actorCache.keep(doc);
    return [...known, ...read];
  }

  /**
   * Creates actors of one kind, each in one write with its first event and effects. Results are in the order of the
   * requests.
   */
  async create(kind: ActorKind, requests: readonly Create[]): Promise<Created[]> {
    if (this.#deps.remote) return this.#deps.remote.create(requests);
    await this.#beforeBatch(requests);
    const at = this.#deps.clock();
    const op = newId('op', at);
    const births = requests.map((request) => this.#newborn(request, op, at));
    const details = new Set(births.flatMap(({ effects }) => effects.map(({ effect }) => effect.type)));
    const fault = async (point: FaultPoint) => {
      for (const detail of details) await this.#deps.fault(point, detail);
    };
    await fault('commit.before');
    const relayAt = new Date(at.getTime() + this.#relay.graceMs());
    const verdicts = await this.#deps.store.actors.commit(kind, { op, at, relayAt, commits: births }, fault);
    await fault('commit.after');
    return births.map(({ after: doc }, index) => {
      if (verdicts[index] !== 'applied') return { kind: 'exists' };
      this.#committed(doc, doc.outbox.length > 0 ? relayAt : null);
      return { kind: 'created', doc };
    });
  }

  /** Runs the effects of a plain resource right after the write that stored them. */
  resourceCommitted(collection: OutboxSource, doc: Relayed, relayAt: Date): void {
    this.#relay.take(collection, doc, relayAt);
  }

  /** Resolves when the effects that this process has taken over for the actor have run, or one has failed. */
  completed(id: string): Promise<void> {
    return this.#relay.completed(id);
  }

  /**
   * The actor as soon as `isReached` holds for it, or else its state at the deadline (`elapsed`). Sees commits of this
   * process at once, and polls the database for those of others. Null: no such actor exists.
   */
  async when(
    kind: ActorKind,
    id: string,
    isReached: (doc: ActorDoc) => boolean,
    deadline: number,
  ): Promise<ActorDoc | null> {
    const listener = this.#listeners.open(id);
    try {
      for (let committed: ActorDoc | null = null; ; ) {
        const [doc] = committed ? [committed] : await this.#deps.store.actors.load(kind, [id]);
        const leftMs = deadline - this.elapsed();
        if (!doc || isReached(doc) || this.#interrupted || leftMs <= 0) return doc ?? null;
        committed = await listener.next(Math.min(ASK_MS, leftMs));
      }
    } finally {
      this.#listeners.close(id, listener);
    }
  }

  /** Milliseconds by a clock that nobody sets. The deadlines of waits are in its time. */
  elapsed(): number {
    return this.#deps.elapsed?.() ?? performance.now();
  }

  /** Ends every `when`, now and later, with the actor's present state: the process is about to stop. */
  interrupt(): void {
    this.#interrupted = true;
    this.#listeners.notifyAll();
  }

  /** One pass over outboxes that nobody drains (`relayLeftBehind`). */
  relayLeftBehind(source: OutboxSource): Promise<number> {
    const { store, clock, log, machines } = this.#deps;
    const quarantine = (kind: ActorKind, id: string, reason: string) => this.quarantine(kind, id, reason);
    return relayLeftBehind(
      { store, machines, clock, log, scanner: this.#scanner, relay: this.#relay, quarantine },
      source,
    );
  }

  /** The version in which this process writes a kind. */
  writtenVersion(kind: ActorKind): number {
    return writtenVersion(this.#deps.machines, this.#writes, kind);
  }

  /** Dispatches the due actors of a kind, as far as the domain admits them (`DueActors.dispatchAll`). */
  dispatchDue(kind: ActorKind, touch?: Touch): Promise<number> {
    return this.#due.dispatchAll(kind, touch);
  }

  /** The same for the share of this process, when another worker has called (`DueActors.dispatchShare`). */
  dispatchShare(kind: ActorKind): Promise<number> {
    return this.#due.dispatchShare(kind);
  }

  /** True while this process runs effects or dispatches actors that a commit found due. */
  isBusy(): boolean {
    return this.#relay.isBusy() || this.#dueAtCommit.isBusy;
  }

  /** Quarantines an actor: it takes no event until somebody releases it. Reads still work. */
  async quarantine(kind: ActorKind, id: string, reason: string): Promise<void> {
    this.#deps.log.error({ actor: id, reason }, 'quarantining an actor: it takes no event until somebody releases it');
    this.#deps.meters?.quarantined(kind);
    this.#actorCache.forget(id);
    const { store, clock } = this.#deps;
    await setQuarantine({ store, clock }, { kind, id, quarantine: { at: clock(), reason }, by: 'engine' });
  }

  /** `relayAt`: of the outbox that the commit has stored; null: none. */
  #committed(doc: StoredActor, relayAt: Date | null): void {
    this.#listeners.notify(doc);
    if (this.#isAwaited(doc)) this.#actorCache.keep({ ...doc, outbox: this.#relay.left(doc.outbox) });
    else this.#actorCache.forget(doc._id);
    this.#relay.take(doc.kind, doc, relayAt);
    const { dispatchesDue, clock } = this.#deps;
    if (dispatchesDue && doc.wakeAt !== null && doc.wakeAt <= clock()) this.#dueAtCommit.add(doc);
  }

  #newborn(request: Create, op: string, now: Date): Commit & { readonly after: StoredActor } {
    const { kind, id, merchantId, mode, attributes } = request;
    const { machines, isChecked } = this.#deps;
    const machineVersion = writtenVersion(machines, this.#writes, kind);
    const version = versionOf(machines, { _id: id, kind, machineVersion });
    const input = inputOf(version, request.context);
    const state = initialState(version, input);
    const blank: StoredActor = {
      _id: id,
      kind,
      merchantId,
      mode,
      attributes,
      machineVersion,
      ...state,
      ...projectionOf(state),
      wakeRev: 0,
      rev: 0,
      headRev: 0,
      eventSeq: 0,
      outboxId: null,
      outbox: [],
      failures: 0,
      partition: partitionOf(id),
      quarantine: null,
      createdAt: now,
      updatedAt: now,
    };
    const event = { type: 'actor.created', input } as const;
    const made = advance(
      machines,
      blank,
      { event, by: request.by, sender: request.sender ?? null, isShaped: true },
      { now, admits: this.#admits, writes: this.#writes, isChecked },
    );
    switch (made.outcome) {
      case 'taken':
        return birthOf(made, op);
      case 'unchanged':
      case 'refused':
      case 'malformed':
        throw internalFault(`${kind} ${id} does not take its creation`);
      default:
        return unknownCase(made, 'outcome');
    }
  }
}

function birthOf({ doc, logged: events, items: effects }: Extract<Advance, { outcome: 'taken' }>, op: string) {
  const outboxId = effects.length > 0 ? op : null;
  return {
    before: null,
    after: { ...doc, outbox: effects, outboxId, headRev: needsHead(null, doc) ? doc.rev : 0 },
    events,
    effects,
  };
}

function outcomeOf({ kind }: Dispatched): Attributes {
  return { 'tideline.outcome': kind };
}
