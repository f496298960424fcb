import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestDoc } from './collections.ts';
import { StoreUnavailable, UnknownOutcome } from './errors.ts';
import type { RecordStore } from './port.ts';
import type { Workers } from './workers.ts';

/** How often answers are read while somebody waits for one, milliseconds. */
const ANSWERS_MS = 10;
/** How long a request waits for a worker, and then for its answer. */
const WAIT_MS: { readonly taken: number; readonly answered: number } = { taken: 5_000, answered: 25_000 };
/** How often all workers together poll for requests: while they come, and when none has come for a second. */
const POLL_MS = { busy: 10, idle: 50 } as const;
const BUSY_MS = 1_000;
/** The longest pause of one worker, milliseconds: much less than a request waits, however many workers there are. */
const PAUSE_MAX_MS = 1_000;
/** The database removes a request after this time. */
const KEPT_MS = 10 * 60_000;
const REQUESTS_MAX = 100;

interface Waiting {
  readonly resolve: (answered: RequestDoc) => void;
  readonly reject: (error: Error) => void;
  readonly since: number;
  isTaken: boolean;
}

/** Asks workers, by way of the database, to do what this process may not. */
export class RequestClient {
  readonly #records: RecordStore;
  readonly #waitMs: typeof WAIT_MS;
  readonly #waiting = new Map<string, Waiting>();
  #isPolling = false;

  constructor(records: RecordStore, waitMs: typeof WAIT_MS = WAIT_MS) {
    this.#records = records;
    this.#waitMs = waitMs;
  }

  /**
   * The request with its answer. Throws StoreUnavailable if no worker took it within 5 s: nothing was done, and nothing
   * will be. Throws UnknownOutcome if a worker took it and has not answered after 25 s.
   */
  async ask(order: object): Promise<RequestDoc> {
    const [_id, createdAt] = [randomUUID(), new Date()];
    const purgeAt = new Date(createdAt.getTime() + KEPT_MS);
    await this.#records.insert('requests', [{ _id, order, state: 'waiting', answer: null, createdAt, purgeAt }]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(_id, { resolve, reject, since: performance.now(), isTaken: false });
      if (!this.#isPolling) void this.#pollAll();
    });
  }

  async #pollAll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await delay(ANSWERS_MS);
      // While the database does not answer, the waits go on; their limits hold all the same.
      await this.#poll().catch(() => undefined);
      await Promise.all([...this.#waiting].map(([id, waiting]) => this.#endIfLate(id, waiting)));
    }
    this.#isPolling = false;
  }

  async #poll(): Promise<void> {
    const found = await this.#records.get('requests', [...this.#waiting.keys()]);
    const answered = found.filter(({ state }) => state === 'answered');
    for (const doc of answered) this.#take(doc._id)?.resolve(doc);
    if (answered.length === 0) return;
    await this.#records.remove(
      'requests',
      answered.map(({ _id }) => _id),
    );
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #endIfLate(id: string, waiting: Waiting): Promise<void> {
    const waitedMs = performance.now() - waiting.since;
    if (waitedMs < this.#waitMs.taken) return;
    if (waiting.isTaken) {
      if (waitedMs < this.#waitMs.answered) return;
      this.#take(id)?.reject(new UnknownOutcome('a worker took the request and has not answered'));
      return;
    }
    const change = { set: { state: 'withdrawn' } } as const;
    // Without an answer of the database nobody knows whether it is withdrawn: as if a worker had it.
    const withdrawn = await this.#records.change('requests', id, { state: 'waiting' }, change).catch(() => null);
    if (withdrawn) this.#take(id)?.reject(new StoreUnavailable('no worker took the request'));
    waiting.isTaken = true;
  }
}

/** Milliseconds until one of these workers polls again. `quietMs`: the time since the last request that it found. */
export function pollPause(quietMs: number, idleMs: number, workers: number): number {
  return Math.min(PAUSE_MAX_MS, (quietMs < BUSY_MS ? POLL_MS.busy : idleMs) * workers);
}

export interface RequestWorkerDeps {
  readonly records: RecordStore;
  readonly workers: Pick<Workers, 'count'>;
  /** The answer to a request. Never rejects. */
  readonly answer: (request: RequestDoc) => Promise<object>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Takes requests, each once at most: those of a worker that dies stay without an answer. */
export class RequestWorker {
  readonly #deps: RequestWorkerDeps;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: RequestWorkerDeps) {
    this.#deps = deps;
  }

  /** `idleMs`: how often it polls while no requests come, if it is alone. */
  start(idleMs: number = POLL_MS.idle): void {
    this.#running = this.#run(idleMs);
  }

  /** Ends when all requests that it took are answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  async #run(idleMs: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let last = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      // While the database does not answer, requests wait.
      if ((await this.#takeAll().catch(() => 0)) > 0) last = performance.now();
      const pause = pollPause(performance.now() - last, idleMs, this.#deps.workers.count);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async #takeAll(): Promise<number> {
    const { records } = this.#deps;
    const where = { state: 'waiting' } as const;
    const found = await records.find('requests', { where, sort: [['createdAt', 1]], ties: 'any', limit: REQUESTS_MAX });
    if (found.length === 0) return 0;
    const change = { set: { state: 'taken' } } as const;
    const won = await records.changeMany(
      'requests',
      found.map(({ _id: id }) => ({ id, where, change })),
    );
    for (const [index, request] of found.entries()) if (won[index]) this.#begin(request);
    return found.length;
  }

  #begin(request: RequestDoc): void {
    const work = this.#answer(request).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #answer(request: RequestDoc): Promise<void> {
    const { records, answer, log } = this.#deps;
    try {
      const set = { state: 'answered', answer: await answer(request) };
      await records.change('requests', request._id, { state: 'taken' }, { set });
    } catch (err) {
      log.warn(
        { request: request._id, err },
        'the answer to a request was not stored: its caller has an unknown outcome',
      );
    }
  }
}
