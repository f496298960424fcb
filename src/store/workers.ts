import { randomUUID } from 'node:crypto';
import type { Warnings } from './actors/log-actors.ts';
import type { LeaseDoc, WorkerSign } from './collections.ts';
import { isDue } from './is-due.ts';
import type { RecordStore } from './port.ts';

/** How often a worker gives a sign of life, in milliseconds. */
const BEAT_MS = 1_000;

/** A worker whose sign has not changed for this long counts as dead; and so long lasts a call, in milliseconds. */
export const DEAD_MS = 3_000;

/** The document of `lanes` with the signs of all workers. */
const ID = 'workers';
const NO_WORKERS: Omit<LeaseDoc, '_id'> = { holder: '', until: new Date(0), beats: 0, workers: {} };

export interface WorkersDeps {
  readonly records: RecordStore;
  readonly log?: Warnings;
  /** The name of this process for leases, different from all others. Default: a random one. */
  readonly holder?: string;
  /** Milliseconds by a clock that nobody sets. Default: `performance.now`. */
  readonly elapsed?: () => number;
}

/** A sign of another worker, and when this process first saw it. */
interface Seen {
  readonly sign: WorkerSign;
  readonly at: number;
}

/** A call to other workers: how many runs make it, and when the last one began or ended. */
interface Call {
  readonly underWay: number;
  readonly at: number;
}

/**
 * The workers on one database, and the share of each in their leases. All compute the shares from one document, so they
 * agree; while they do not yet, the lease itself decides. The lease of a worker that has died or started goes to
 * another one within five seconds. Until `start`, every lease is for this process.
 */
export class Workers {
  readonly holder: string;
  readonly #deps: WorkersDeps;
  readonly #elapsed: () => number;
  readonly #serves = new Set<string>();
  readonly #calls = new Map<string, Call>();
  #seen: ReadonlyMap<string, Seen> = new Map();
  #living: ReadonlyMap<string, WorkerSign> = new Map();
  #owners: ReadonlyMap<string, string> = new Map();
  #beats = 0;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #share: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
    this.holder = deps.holder ?? randomUUID();
    this.#elapsed = deps.elapsed ?? (() => performance.now());
  }

  /** How many workers share the work. */
  get count(): number {
    return Math.max(1, this.#living.size);
  }

  /** Whether the lease is in the share of this process, which can do its work. */
  isMine(lease: string): boolean {
    this.#serves.add(lease);
    return !this.#isStopped && (this.#owners.get(lease) ?? this.holder) === this.holder;
  }

  /** Calls the other workers to do their share of this work, while `run` lasts and three seconds longer. */
  async calling<T>(work: string, run: () => Promise<T>): Promise<T> {
    const known = this.#calls.get(work);
    this.#calls.set(work, { underWay: (known?.underWay ?? 0) + 1, at: this.#elapsed() });
    if (known === undefined && this.#timer !== null) this.#beatSoon();
    return run().finally(() => {
      this.#calls.set(work, { underWay: (this.#calls.get(work)?.underWay ?? 1) - 1, at: this.#elapsed() });
    });
  }

  /** Whether there are other workers, and one of all has called to this work within the last seconds. */
  isCalled(work: string): boolean {
    const own = this.#calls.get(work);
    const isOwn = own !== undefined && this.#lasts(own);
    return this.count > 1 && (isOwn || [...this.#living.values()].some(({ calls }) => calls.includes(work)));
  }

  /** `onCalled` does the share in the work to which others call, every second while they do. */
  async start(onCalled: (work: ReadonlySet<string>) => Promise<void>): Promise<void> {
    this.#isStopped = false;
    this.#timer = setInterval(() => this.#beatSoon(onCalled), BEAT_MS).unref();
    await this.beat();
  }

  /** The others take over at once. Resolves when the share under way has ended, which takes no lease any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    await this.#deps.records.change('lanes', ID, {}, { set: { [`workers.${this.holder}`]: null } });
    await this.#share;
  }

  /** Gives a sign of life, and reads the signs of all. Returns the work to which others call. */
  async beat(): Promise<ReadonlySet<string>> {
    const now = this.#elapsed();
    for (const [work, call] of this.#calls) if (!this.#lasts(call)) this.#calls.delete(work);
    this.#beats += 1;
    const sign: WorkerSign = { beat: this.#beats, serves: [...this.#serves], calls: [...this.#calls.keys()] };
    const change = { set: { [`workers.${this.holder}`]: sign }, inc: { beats: 1 } };
    const { workers = {}, beats } = await this.#deps.records.upsert('lanes', ID, NO_WORKERS, change);
    const signs = Object.entries(workers).flatMap(([name, each]) => (each === null ? [] : [{ name, sign: each }]));
    this.#seen = new Map(signs.map((each) => [each.name, this.#seenSince(each.name, each.sign, now)]));
    this.#living = new Map(
      [...this.#seen].flatMap(([name, seen]) => (now - seen.at < DEAD_MS ? [[name, seen.sign]] : [])),
    );
    this.#owners = ownersOf(this.#living);
    if (this.#living.size < Object.keys(workers).length) {
      // The next beat of anybody tries again.
      await this.#deps.records.change(
        'lanes',
        ID,
        { beats: beats ?? 0 },
        { set: { workers: Object.fromEntries(this.#living) } },
      );
    }
    const others = [...this.#living].filter(([name]) => name !== this.holder);
    return new Set(others.flatMap(([, { calls }]) => calls));
  }

  #lasts({ underWay, at }: Call): boolean {
    return underWay > 0 || this.#elapsed() - at < DEAD_MS;
  }

  #seenSince(name: string, sign: WorkerSign, now: number): Seen {
    const known = this.#seen.get(name);
    return known?.sign.beat === sign.beat ? known : { sign, at: now };
  }

  #beatSoon(onCalled?: (work: ReadonlySet<string>) => Promise<void>): void {
    const beat = this.beat().then(async (called) => {
      if (called.size > 0 && !this.#isStopped) await onCalled?.(called);
    });
    this.#share = Promise.all([this.#share, beat]).catch((err: unknown) =>
      this.#deps.log?.warn({ err }, 'a worker could not give a sign of life; it tries again'),
    );
  }
}

/** Which worker each lease is for: the one among those that can have it which has the fewest so far. */
function ownersOf(living: ReadonlyMap<string, WorkerSign>): ReadonlyMap<string, string> {
  const workers = [...living].sort(([one], [other]) => (one < other ? -1 : 1));
  const shares = new Map<string, number>();
  const owners = new Map<string, string>();
  for (const lease of [...new Set(workers.flatMap(([, { serves }]) => serves))].sort()) {
    const able = workers.filter(([, { serves }]) => serves.includes(lease)).map(([name]) => name);
    const fewest = Math.min(...able.map((name) => shares.get(name) ?? 0));
    const owner = able.find((name) => (shares.get(name) ?? 0) === fewest);
    if (owner === undefined) continue;
    owners.set(lease, owner);
    shares.set(owner, fewest + 1);
  }
  return owners;
}

/**
 * Leases decide which process does work that only one at a time needs to do. Two holders of one lease (clocks differ)
 * are safe: they only waste work.
 */
export interface Leases {
  /** Takes or prolongs the lease. False: another process has it, or should have it; then it is given back. */
  take(name: string): Promise<boolean>;
  /** Gives the lease back, so that no other process has to wait until it expires. */
  release(name: string): Promise<void>;
  /** How many processes share the work. */
  readonly workers: number;
}

interface LeaseOptions {
  readonly records: RecordStore;
  /** This process among the workers. */
  readonly workers: Pick<Workers, 'holder' | 'isMine' | 'count'>;
  /** The life of a lease that its holder does not prolong, in milliseconds. */
  readonly leaseMs: number;
  readonly clock: () => Date;
}

/** A lease with more than this number of lives left is free: it was taken before the clock was set back. */
const LIVES = 2;

/**
 * Leases in the collection `lanes`, by the clocks of the processes. `take` prolongs a lease only when a third of its
 * life is over, so it can be called often. It reads a lease that another process has only if it is in the own share.
 */
export function storeLeases({ records, workers, leaseMs, clock }: LeaseOptions): Leases {
  const { holder } = workers;
  const prolongAt = new Map<string, number>();
  const prolong = async (name: string, mine: Omit<LeaseDoc, '_id'>): Promise<boolean> => {
    return (await records.change('lanes', name, { holder }, { set: mine })) !== null;
  };
  const acquire = async (name: string, mine: Omit<LeaseDoc, '_id'>): Promise<boolean> => {
    const [seen] = await records.get('lanes', [name]);
    if (seen === undefined) {
      const [verdict] = await records.insert('lanes', [{ _id: name, ...mine }]);
      return verdict?.inserted === true;
    }
    const now = clock();
    const isFree = isDue(seen.until, now, LIVES * leaseMs);
    if (!isFree && seen.holder !== holder) return false;
    const asSeen = { holder: seen.holder, until: seen.until };
    return (await records.change('lanes', name, asSeen, { set: mine })) !== null;
  };
  const release = async (name: string): Promise<void> => {
    prolongAt.delete(name);
    await records.change('lanes', name, { holder }, { set: { until: new Date(0) } });
  };
  return {
    get workers() {
      return workers.count;
    },
    release,
    async take(name) {
      if (!workers.isMine(name)) {
        if (prolongAt.has(name)) await release(name);
        return false;
      }
      const now = clock();
      const mine = { holder, until: later(now, leaseMs) };
      const known = prolongAt.get(name);
      if (known !== undefined && !isDue(known, now, leaseMs / 3)) return true;
      prolongAt.delete(name);
      const isHeld = (known !== undefined && (await prolong(name, mine))) || (await acquire(name, mine));
      if (isHeld) prolongAt.set(name, now.getTime() + leaseMs / 3);
      return isHeld;
    },
  };
}

function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}
