import { setTimeout as delay } from 'node:timers/promises';
import { traced, traceHeaders } from '../observability/tracing.ts';
import { type AttemptEnded, answered, NOT_ALLOWED, requestFor, storing, withoutEndpoint } from './attempt.ts';
import { type Attempt, attemptAtHand, readAttempts, type SendTask, taskOf } from './attempt-reader.ts';
import { deliveryIdOf, queueOf } from './deliveries.ts';
import { EndpointQueues } from './endpoint-queues.ts';
import type { FirstAttempt, FirstAttempts } from './first-attempts.ts';
import type { WebhookParts } from './parts.ts';

/** The most posts under way in a process, and to one endpoint. */
export interface SenderLimits {
  readonly total: number;
  readonly perEndpoint: number;
}

const LIMITS: SenderLimits = { total: 512, perEndpoint: 64 };

/** The most waiting deliveries in a process. The leases of the others request them again. */
const WAITING_MAX = 100_000;

/** From this number of waiting deliveries on, their events are read again before the attempt, to save memory. */
const KEPT_MAX = 5_000;

/** The most deliveries between read and write. Above it nothing is read until writes catch up. */
const UNDER_WAY_MAX = 2_000;

/** Deliveries are read in batches: the most batches at once, and the most deliveries in one. */
const READS_MAX = 2;
const BATCH_MAX = 250;

/**
 * Posts deliveries. Each merchant's environment has its own queue, so an endpoint that hangs delays no other. URL,
 * secrets and state are read just before the attempt. Nothing here has to be durable: if this process fails, the
 * delivery's lease requests the attempt again.
 */
export class Sender {
  readonly #parts: WebhookParts;
  readonly #firstAttempts: FirstAttempts;
  readonly #queues: EndpointQueues<SendTask>;
  /** Deliveries with an attempt under way. Requests that come meanwhile are kept here, and checked at its end. */
  readonly #underWay = new Map<string, SendTask | null>();
  #reads = 0;
  #isPumpDue = false;
  #listeners: (() => void)[] = [];
  #state: 'running' | 'stopping' | 'stopped' = 'running';

  constructor(parts: WebhookParts, firstAttempts: FirstAttempts, { total, perEndpoint } = LIMITS) {
    this.#parts = parts;
    this.#firstAttempts = firstAttempts;
    this.#queues = new EndpointQueues({ total, perQueue: perEndpoint });
  }

  /** Queues an attempt; it replaces an older one of the same delivery. After `stop` it does nothing. */
  take(task: SendTask): void {
    if (this.#state !== 'running' || this.#queues.waiting >= WAITING_MAX) return;
    if (this.#underWay.has(task.id)) {
      this.#underWay.set(task.id, task);
      return;
    }
    const isKept = task.first !== undefined || this.#queues.waiting < KEPT_MAX;
    this.#queues.add(queueOf(task), task.id, isKept ? task : { ...task, event: null });
    this.#pumpSoon();
  }

  /** Starts the first attempt of an event that is not stored yet. Returns false if it has to be stored first. */
  begin(first: FirstAttempt): boolean {
    const task = { ...taskOf(first.event), first };
    if (this.#state !== 'running' || this.#underWay.has(task.id) || !this.#firstAttempts.hasCapacity()) return false;
    this.#firstAttempts.add(first);
    this.take(task);
    return true;
  }

  isBusy(): boolean {
    return this.#underWay.size > 0 || this.#queues.waiting > 0;
  }

  /** Resolves when all queued attempts have ended. */
  async untilIdle(): Promise<void> {
    if (this.isBusy()) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  /** Starts none, waits at most `withinMs` for those under way, and leaves the rest to their leases. */
  async stop(withinMs: number): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    this.#queues.clear();
    await Promise.race([this.untilIdle(), delay(withinMs, undefined, { ref: false })]);
    this.#state = 'stopped';
    this.#firstAttempts.stop();
    await this.#parts.poster.close();
  }

  /** Pumps once per turn of the event loop. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#reads < READS_MAX) {
      const tasks = this.#queues.take(Math.min(BATCH_MAX, UNDER_WAY_MAX - this.#underWay.size));
      if (tasks.length === 0) return;
      for (const { id } of tasks) this.#underWay.set(id, null);
      const unread = tasks.filter((task) => !this.#beginAtOnce(task));
      if (unread.length > 0) this.#beginRead(unread);
    }
  }

  /** False if a read is needed first. */
  #beginAtOnce(task: SendTask): boolean {
    const attempt = attemptAtHand(this.#parts, task);
    if (attempt) void this.#carryOut(task, attempt);
    return attempt !== null;
  }

  #beginRead(tasks: readonly SendTask[]): void {
    this.#reads += 1;
    this.#begin(tasks).finally(() => {
      this.#reads -= 1;
      this.#pump();
    });
  }

  async #begin(tasks: readonly SendTask[]): Promise<void> {
    const attempts = new Map<SendTask, Attempt>();
    try {
      for (const attempt of await readAttempts(this.#parts, tasks)) attempts.set(attempt.task, attempt);
    } catch (error) {
      this.#parts.log.warn(
        { err: error, deliveries: tasks.length },
        'deliveries cannot be read; they are sent again when their leases expire',
      );
    }
    for (const task of tasks) void this.#carryOut(task, attempts.get(task));
  }

  /** Frees the slot of the queue as soon as the receiver has answered; the outcome is stored afterwards. */
  async #carryOut(task: SendTask, attempt: Attempt | undefined): Promise<void> {
    let isOver = false;
    try {
      const ended = attempt && (await this.#post(attempt).finally(() => this.#release(task)));
      if (!ended) this.#release(task);
      else if (this.#state !== 'stopped') {
        await this.#report(attempt, ended);
        isOver = true;
      }
    } catch (error) {
      this.#parts.log.warn(
        { event: task.id, attempt: task.attempt, err: error },
        'a delivery attempt failed here; it is made again when the lease expires',
      );
      if (task.first) this.#firstAttempts.givenUp(task.first);
    }
    const next = this.#underWay.get(task.id);
    this.#underWay.delete(task.id);
    // The same attempt may have been requested while it was under way, by a late write or by its lease.
    if (next && !(isOver && next.attempt <= task.attempt)) this.take(next);
    if (!this.isBusy()) for (const resolve of this.#listeners.splice(0)) resolve();
    this.#pumpSoon();
  }

  #release(task: SendTask): void {
    this.#queues.release(queueOf(task));
    this.#pumpSoon();
  }

  #post(attempt: Attempt): Promise<AttemptEnded> {
    const { task, event } = attempt;
    const attributes = () => ({
      'tideline.id': deliveryIdOf(task.id),
      'tideline.event_id': event._id,
      'tideline.event': event.event,
      'tideline.attempt': task.attempt,
    });
    const outcome = ({ outcome: became, record }: AttemptEnded) => ({
      'tideline.outcome': became,
      ...(record.status === null ? {} : { 'http.response.status_code': record.status }),
    });
    return traced({ name: 'webhook attempt', kind: 'client', attributes, outcome }, () => this.#postNow(attempt));
  }

  async #postNow({ task, event, settings }: Attempt): Promise<AttemptEnded> {
    const { clock, fault, poster } = this.#parts;
    const startedAt = clock();
    const request = requestFor(this.#parts, event, settings, startedAt);
    if (request === 'no endpoint') return withoutEndpoint(task.attempt, startedAt);
    if (request === 'not allowed') return answered(task.attempt, startedAt, 0, NOT_ALLOWED);
    await fault('delivery.posted.before', event.event);
    const began = performance.now();
    const answer = await poster.post({ ...request, headers: { ...request.headers, ...traceHeaders() } });
    const durationMs = Math.round(performance.now() - began);
    await fault('delivery.posted.after', event.event);
    return answered(task.attempt, startedAt, durationMs, answer);
  }

  async #report({ task, event }: Attempt, message: AttemptEnded): Promise<void> {
    const { events, log } = this.#parts;
    const isWanted = () => this.#state !== 'stopped';
    if (task.first) await this.#firstAttempts.ended(task.first, message);
    else await storing({ log, isWanted }, task.id, () => events.take(task.id, message, event));
    const { attempt, status, error, durationMs } = message.record;
    log.debug({ event: task.id, attempt, status, error, durationMs }, 'a delivery attempt has ended');
  }
}
