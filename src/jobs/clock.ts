import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job } from 'agenda';
import type { Db } from 'mongodb';
import type { Log } from '../observability/log.ts';
import { traced } from '../observability/tracing.ts';
import { EVERY_PARTITION } from '../store/documents.ts';
import { JOBS } from './collection.ts';
import { watchJobs } from './watch.ts';

/** How many groups the partitions are divided into for waking: what several workers can take apart. */
export const GROUPS = 4;

/** A worker that has died keeps its jobs this long; a running one touches them. */
const LOCK_MS = 10_000;
/** A running job touches its lock this many times within its life. */
const TOUCHES = 3;

/** Nobody waits for a unit that has been left behind, but a buyer who would find the offer sold out. */
const UNITS_MS = 60_000;

/** A difference between ledger and chain is for people: found within minutes is soon enough. */
const AUDIT_MS = 300_000;

/** Documents of an older version are read as the present one anyway: that they are brought to it is for releases to come. */
const UPCASTS_MS = 10_000;

/** What the jobs do; each drains until it finds nothing. `touch` says that the run is still alive. */
export interface JobWork {
  /** What is due among the actors of these partitions, as far as there is room for it. */
  readonly wake: (partitions: readonly number[], touch: () => Promise<void>) => Promise<void>;
  /** Every outbox that its committer has left behind: few, and each check is one at six collections. */
  readonly relay: (touch: () => Promise<void>) => Promise<void>;
  /** Allowances whose check is due. */
  readonly check: (touch: () => Promise<void>) => Promise<void>;
  /** Units of offers whose holders have ended: one bounded pass. */
  readonly units: () => Promise<void>;
  /** What has become finalized on the chains since the last audit. */
  readonly audit: (touch: () => Promise<void>) => Promise<void>;
  /** Documents that rest in an older version of their machine: one bounded pass. */
  readonly upcasts: () => Promise<void>;
}

export interface RecurringJob {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (touch: () => Promise<void>) => Promise<void>;
}

/** Every recurring job there is. Agenda wakes them; what they do is decided by what they find (docs/rules.md, rule 7). */
export function recurringJobs(work: JobWork, tickMs: number): RecurringJob[] {
  const groups = Array.from({ length: GROUPS }, (_, group) => ({ group, partitions: partitionsOf(group) }));
  return [
    ...groups.map(({ group, partitions }) => ({
      name: `wake-${group}`,
      everyMs: tickMs,
      run: (touch: () => Promise<void>) => work.wake(partitions, touch),
    })),
    { name: 'relay', everyMs: tickMs, run: work.relay },
    { name: 'look', everyMs: tickMs, run: work.check },
    { name: 'units', everyMs: Math.max(tickMs, UNITS_MS), run: work.units },
    { name: 'audit', everyMs: Math.max(tickMs, AUDIT_MS), run: work.audit },
    { name: 'upcasts', everyMs: Math.max(tickMs, UPCASTS_MS), run: work.upcasts },
  ];
}

/** Partition n belongs to group n mod 4. */
export function partitionsOf(group: number): number[] {
  return EVERY_PARTITION.filter((partition) => partition % GROUPS === group);
}

export interface Clock {
  /** Lets what runs end, at most until the deadline, and leaves what it has locked to others. */
  stop(deadlineMs: number): Promise<void>;
}

export interface ClockDeps {
  readonly db: Db;
  readonly jobs: readonly RecurringJob[];
  readonly tickMs: number;
  readonly log: Log;
  /** How long a lock lasts that nobody touches; 10 s unless said otherwise. */
  readonly lockMs?: number;
}

/**
 * Starts this process as a worker of the recurring jobs. They are shared with all workers on the database: a lock on each
 * job's document spreads them. It is a lease without a fence, so a job may run twice at once, which is harmless. A job that
 * nobody runs although it is due (`watchJobs`) makes this worker begin anew.
 */
export async function startClock({ db, jobs, tickMs, log, lockMs = LOCK_MS }: ClockDeps): Promise<Clock> {
  const worker = `worker-${randomUUID()}`;
  const start = (): Promise<Agenda> => startAgenda({ db, jobs, tickMs, log, lockMs }, worker);
  let agenda = await start();
  const watch = watchJobs({ db, jobs, lockMs, log }, async () => {
    await agenda.stop();
    agenda = await start();
  });
  return {
    stop: async (deadlineMs) => {
      const late = delay(deadlineMs, undefined, { ref: false });
      await Promise.race([watch.stop(), late]);
      await Promise.race([agenda.drain({ timeout: deadlineMs }), late]);
      await agenda.stop();
      await Promise.race([unlockAll(db, worker, log), delay(UNLOCK_MS, undefined, { ref: false })]);
    },
  };
}

async function startAgenda({ db, jobs, tickMs, log, lockMs }: Required<ClockDeps>, worker: string): Promise<Agenda> {
  const agenda = new Agenda({
    name: worker,
    backend: new MongoBackend({ mongo: db, collection: JOBS }),
    // Each check asks for every job by its name, and locks what falls due before the next one: a job that ends in time is not
    // late. What is locked that long before it falls due must not lose its lock meanwhile.
    processEvery: Math.min(tickMs, lockMs / 2),
    defaultLockLifetime: lockMs,
    defaultConcurrency: 1,
    maxConcurrency: jobs.length,
  });
  agenda.on('error', (error: unknown) => log.warn({ err: error }, 'the job clock has an error'));
  for (const job of jobs) define(agenda, job, lockMs, log);
  await agenda.start();
  for (const job of jobs) await agenda.every(job.everyMs, job.name);
  return agenda;
}

/** A database that is gone keeps nobody from ending: then the locks run out. */
const UNLOCK_MS = 2_000;

/** What waited in this worker's queue is still locked: the next worker need not wait until that lock is over. */
async function unlockAll(db: Db, worker: string, log: Log): Promise<void> {
  const locked = { lastModifiedBy: worker, lockedAt: { $type: 'date' } } as const;
  await db
    .collection(JOBS)
    .updateMany(locked, { $set: { lockedAt: null } })
    .catch((error: unknown) => log.warn({ err: error }, 'could not unlock the jobs'));
}

function define(agenda: Agenda, recurring: RecurringJob, lockMs: number, log: Log): void {
  const handler = (job: Job): Promise<void> => tick(recurring, touching(job, lockMs / TOUCHES), log);
  agenda.define(recurring.name, handler, { concurrency: 1, lockLimit: 1, lockLifetime: lockMs });
}

/** One run of a job. What it throws is for the log: the next tick tries again. */
export async function tick(
  { name, run }: Pick<RecurringJob, 'name' | 'run'>,
  touch: () => Promise<void>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await traced({ name: `job ${name}`, attributes: () => ({ 'tideline.job': name }) }, () => run(touch));
  } catch (error) {
    log.warn({ err: error, job: name }, 'a job has failed; the next tick tries again');
  }
}

/** Renews the lock now and then, however often it is called. */
function touching(job: Job, everyMs: number): () => Promise<void> {
  let touchedAt = performance.now();
  return async () => {
    if (performance.now() - touchedAt < everyMs) return;
    touchedAt = performance.now();
    await job.touch();
  };
}
