import { deliveryContext } from '../../machines/delivery/context.ts';
import type { EffectOf } from '../../machines/effects.ts';
import type { Engine } from '../engine/engine.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { EffectHandler, EffectResult, Log } from '../engine/types.ts';
import { Fault } from '../fault.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { ActorDoc, Mode } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { AddressGuard } from './address-guard.ts';
import { type AttemptEnded, answered, requestOf, secretsAt, withoutEndpoint } from './attempt.ts';
import { BY_WEBHOOKS } from './deliveries.ts';
import { effectiveUrl } from './effective-url.ts';
import type { Answer, HttpPoster } from './http-poster.ts';
import { Lanes } from './lanes.ts';

/** How many posts may be under way, how many of them to one endpoint, and how many deliveries may wait in this process. */
const POSTS_MAX = 512;
const POSTS_PER_ENDPOINT_MAX = 64;
const WAITING_MAX = 100_000;

/** What is about to be posted is read in batches: how many may be read at once, and how many deliveries one may hold. */
const READS_MAX = 2;
const BATCH_MAX = 250;

/** Pauses after which an outcome that could not be stored is stored again, milliseconds; then the lease decides. */
const STORE_AGAIN_MS = [100, 400, 1_600, 6_400] as const;

/** One attempt that has been asked for. `rev`: the delivery's revision that asked for it. */
export interface SendTask {
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly attempt: number;
  readonly rev: number;
}

export interface SenderDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly engine: Pick<Engine, 'dispatch'>;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly guard: AddressGuard;
  readonly poster: HttpPoster;
  readonly limits?: { readonly total: number; readonly perEndpoint: number };
}

/** Everything that one attempt needs, as read just before it. */
interface Attempt {
  readonly task: SendTask;
  readonly doc: ActorDoc;
  readonly event: EventDoc;
  readonly settings: WebhookSettings | null;
}

/**
 * The handler of `webhook.send`: hands the attempt over and is done. What becomes of it is the delivery's own business: it
 * hears how the attempt ended, or asks for it again when its lease is over.
 */
export function sendHandler(handOver: (task: SendTask) => void): EffectHandler<EffectOf<'webhook.send'>> {
  return async (items) =>
    items.map(({ source, effect, mark: [rev] }): EffectResult => {
      handOver({ id: source.id, merchantId: source.merchantId, mode: source.mode, attempt: effect.attempt, rev });
      return 'done';
    });
}

/**
 * Posts deliveries. Those of one merchant's environment wait in a lane of their own, so that an endpoint that hangs holds
 * up nobody else's. URL, secrets and state are read when an attempt's turn has come, not when it was asked for: one that
 * somebody has asked for again meanwhile, or whose lease is over, is left to that. Whatever goes wrong in this process, the
 * lease brings the delivery back: nothing here has to be durable.
 */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #lanes: Lanes<SendTask>;
  /** Attempts between being taken out of their lane and their end. */
  readonly #underWay = new Set<string>();
  #reads = 0;
  #idle: (() => void)[] = [];
  #state: 'running' | 'stopping' | 'stopped' = 'running';

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    const { total, perEndpoint } = deps.limits ?? { total: POSTS_MAX, perEndpoint: POSTS_PER_ENDPOINT_MAX };
    this.#lanes = new Lanes({ total, perLane: perEndpoint });
  }

  /** Takes an attempt over; one that is known already is not made twice. Nothing is taken over once it stops. */
  take(task: SendTask): void {
    if (this.#state !== 'running' || this.#underWay.has(keyOf(task)) || this.#lanes.waiting >= WAITING_MAX) return;
    this.#lanes.add(laneOf(task), keyOf(task), task);
    queueMicrotask(() => this.#pump());
  }

  isBusy(): boolean {
    return this.#underWay.size > 0 || this.#lanes.waiting > 0;
  }

  /** Resolves when everything taken over has ended. */
  async settled(): Promise<void> {
    if (this.isBusy()) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Begins no further attempt, and waits until those under way have ended, at most `withinMs`; what is still under way then
   * is broken off and left to its lease, as if the process had died.
   */
  async stop(withinMs: number): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    this.#lanes.clear();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([this.settled(), deadline]);
    clearTimeout(timer);
    this.#state = 'stopped';
    await this.#deps.poster.close();
  }

  #pump(): void {
    while (this.#reads < READS_MAX) {
      const tasks = this.#lanes.take(BATCH_MAX);
      if (tasks.length === 0) return;
      for (const task of tasks) this.#underWay.add(keyOf(task));
      this.#reads += 1;
      this.#begin(tasks).finally(() => {
        this.#reads -= 1;
        this.#pump();
      });
    }
  }

  async #begin(tasks: readonly SendTask[]): Promise<void> {
    const attempts = new Map<SendTask, Attempt>();
    try {
      for (const attempt of await this.#read(tasks)) attempts.set(attempt.task, attempt);
    } catch (error) {
      this.#deps.log.warn({ err: error, deliveries: tasks.length }, 'deliveries are left to their leases');
    }
    for (const task of tasks) {
      const attempt = attempts.get(task);
      if (attempt) void this.#make(attempt).finally(() => this.#end(task));
      else this.#end(task);
    }
  }

  #end(task: SendTask): void {
    this.#underWay.delete(keyOf(task));
    this.#lanes.release(laneOf(task));
    if (!this.isBusy()) for (const resolve of this.#idle.splice(0)) resolve();
    queueMicrotask(() => this.#pump());
  }

  /** What the tasks need, in three reads for all of them. Tasks that are no longer wanted are left out. */
  async #read(tasks: readonly SendTask[]): Promise<Attempt[]> {
    const { actors, records } = this.#deps.store;
    const ids = tasks.map(({ id }) => id);
    const merchantIds = [...new Set(tasks.map(({ merchantId }) => merchantId))];
    const [docs, merchants] = await Promise.all([actors.load('delivery', ids), records.get('merchants', merchantIds)]);
    const docOf = new Map(docs.map((doc) => [doc._id, doc]));
    const settingsOf = new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
    const wanted = tasks.flatMap((task) => {
      const doc = docOf.get(task.id);
      const context = doc && this.#isWanted(task, doc) ? deliveryContext.safeParse(doc.context).data : undefined;
      return doc && context ? [{ task, doc, eventId: context.eventId }] : [];
    });
    const events = await records.get(
      'events',
      wanted.map(({ eventId }) => eventId),
    );
    const eventOf = new Map(events.map((event) => [event._id, event]));
    return wanted.flatMap(({ task, doc, eventId }) => {
      const event = eventOf.get(eventId);
      if (event) return [{ task, doc, event, settings: settingsOf.get(task.merchantId) ?? null }];
      this.#deps.log.error({ actor: doc._id, event: eventId }, 'a delivery has no event');
      return [];
    });
  }

  /** The delivery still waits for the very attempt that was asked for, and has time left for it. */
  #isWanted(task: SendTask, doc: ActorDoc): boolean {
    return (
      doc.rev === task.rev &&
      doc.status === 'sending' &&
      doc.quarantine === null &&
      doc.wakeAt !== null &&
      doc.wakeAt > this.#deps.clock()
    );
  }

  async #make(attempt: Attempt): Promise<void> {
    const { task, doc } = attempt;
    try {
      const ended = await this.#post(attempt);
      if (this.#state === 'stopped') return;
      await this.#tell(doc, ended);
      const { status, error, durationMs } = ended.record;
      this.#deps.log.debug({ actor: doc._id, attempt: task.attempt, status, error, durationMs }, 'a delivery attempt');
    } catch (error) {
      this.#deps.log.warn({ actor: doc._id, attempt: task.attempt, err: error }, 'a delivery is left to its lease');
    }
  }

  async #post({ task, event, settings }: Attempt): Promise<AttemptEnded> {
    const { clock, fault, guard, poster } = this.#deps;
    const startedAt = clock();
    const url = settings && effectiveUrl(settings, task.mode);
    const secrets = settings && secretsAt(settings, startedAt);
    if (!url || !secrets) return withoutEndpoint(task.attempt, startedAt);
    const allowed = parsed(guard, url, task.mode);
    if (!allowed) return answered(task.attempt, startedAt, 0, NOT_ALLOWED);
    await fault('delivery.posted.before', event.event);
    const began = performance.now();
    const answer = await poster.post(requestOf(event, { url: allowed, ...secrets }, startedAt));
    const durationMs = Math.round(performance.now() - began);
    await fault('delivery.posted.after', event.event);
    return answered(task.attempt, startedAt, durationMs, answer);
  }

  /** A receiver that has answered must not get the event again only because the database was away for a moment. */
  async #tell(doc: ActorDoc, event: AttemptEnded): Promise<void> {
    for (const pauseMs of STORE_AGAIN_MS) {
      try {
        await this.#dispatch(doc, event);
        return;
      } catch (error) {
        if (this.#state === 'stopped') throw error;
        this.#deps.log.warn({ actor: doc._id, err: error }, 'the outcome of a delivery is stored again');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    await this.#dispatch(doc, event);
  }

  /** The document was read for the attempt; what its outbox held then has been carried out, or is being. */
  async #dispatch(doc: ActorDoc, event: AttemptEnded): Promise<void> {
    const seen = { ...doc, outbox: [] };
    await this.#deps.engine.dispatch({ kind: 'delivery', id: doc._id, event, by: BY_WEBHOOKS, seen });
  }
}

const NOT_ALLOWED: Answer = { status: null, error: 'The URL is not allowed', body: null };

/** The URL as it was saved, if it is still one that would be. */
function parsed(guard: AddressGuard, url: string, mode: Mode): URL | null {
  try {
    return guard.parse(url, mode);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function keyOf({ id, rev }: SendTask): string {
  return `${id}:${rev}`;
}

/** One merchant's environment has one endpoint at a time. */
function laneOf({ merchantId, mode }: SendTask): string {
  return `${merchantId}:${mode}`;
}
