import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job } from 'agenda';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Log } from '../observability/log.ts';
import { traced } from '../observability/tracing.ts';
import { JOBS } from './last-run.ts';

/**
 * Agenda's name for all jobs. A worker asks the database for due jobs once per name and tick, so all have one name.
 * Their own names are in their data.
 */
const NAME = 'recurring';

/** How long the jobs of a dead worker stay locked; a running worker renews its locks. */
const LOCK_MS = 10_000;
/** How many times a running job renews its lock within one lifetime of the lock. */
const TOUCHES = 3;

/** How often expired reservations are released. Until then a buyer may find the offer sold out. */
const RESERVATIONS_MS = 60_000;

/** People investigate a difference between ledger and chain, so minutes are soon enough. */
const AUDIT_MS = 300_000;

/** A search for due letters; nobody waits for one at a page. */
const LETTERS_MS = 2_000;

/** A moment that a wrong clock has stored is believed for this long. */
const MOMENTS_MS = 60_000;

/** A payment that has been open for long gets its head, so that few are listed without one. */
const HEADS_MS = 60_000;

/** Documents of an older version are read as the present one anyway; bringing them there prepares later releases. */
const UPCASTS_MS = 10_000;

/**
 * The work of the jobs; each drains until it finds nothing, unless it says otherwise. `touch` renews the lock of the
 * run.
 */
export interface JobWork {
  /** Due actors, as far as they are admitted. If there are many, it calls the other workers to `share` them. */
  readonly dispatchDue: (touch: () => Promise<void>) => Promise<void>;
  /** The share of this worker in the kinds to which another one has called. */
  readonly share: (called: ReadonlySet<string>) => Promise<void>;
  /** Every outbox that its committer left behind: few, and each check reads six collections. */
  readonly relay: (touch: () => Promise<void>) => Promise<void>;
  /** Allowances whose check is due. */
  readonly check: (touch: () => Promise<void>) => Promise<void>;
  /** Expired reservations of offers: one limited pass. */
  readonly reservations: () => Promise<void>;
  /** Blocks that became finalized on the chains since the last audit. */
  readonly audit: (touch: () => Promise<void>) => Promise<void>;
  /** Documents in an older version of their machine: one limited pass. */
  readonly upcasts: () => Promise<void>;
  /** Heads of payments that have been open for long: one limited pass. */
  readonly heads: () => Promise<void>;
  /** Due letters; absent: this process has no mail server. */
  readonly letters?: (touch: () => Promise<void>) => Promise<void>;
  /** Stored moments that are further ahead than their kind allows: one limited pass. */
  readonly moments: () => Promise<void>;
}

export interface RecurringJob {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (touch: () => Promise<void>) => Promise<void>;
}

/**
 * All recurring jobs. Agenda starts them; their findings decide their work (docs/rules.md, rule 7). A run costs three
 * database calls, so few jobs run often.
 */
export function recurringJobs(work: JobWork, tickMs: number): RecurringJob[] {
  const passes = [work.dispatchDue, work.relay, work.check];
  return [
    { name: 'tick', everyMs: tickMs, run: (touch) => sideBySide(passes, tickMs, touch) },
    { name: 'units', everyMs: Math.max(tickMs, RESERVATIONS_MS), run: work.reservations },
    { name: 'audit', everyMs: Math.max(tickMs, AUDIT_MS), run: work.audit },
    { name: 'upcasts', everyMs: Math.max(tickMs, UPCASTS_MS), run: work.upcasts },
    { name: 'heads', everyMs: Math.max(tickMs, HEADS_MS), run: work.heads },
    { name: 'moments', everyMs: Math.max(tickMs, MOMENTS_MS), run: work.moments },
    ...(work.letters ? [{ name: 'letters', everyMs: Math.max(tickMs, LETTERS_MS), run: work.letters }] : []),
  ];
}

type Pass = RecurringJob['run'];

/**
 * The passes of one tick, all in one process: another process could take an effect that this one still runs for an
 * abandoned one. A slow pass does not delay the others; they repeat once per tick until it ends. Throws the first
 * failure when all have ended.
 */
export async function sideBySide(passes: readonly Pass[], tickMs: number, touch: () => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const repeated = async (pass: Pass): Promise<void> => {
    for (;;) {
      const run = pass(touch);
      underWay.add(run);
      await run.finally(() => underWay.delete(run));
      await Promise.race([delay(tickMs, undefined, { ref: false }), Promise.allSettled(underWay)]);
      if (underWay.size === 0) return;
      await touch();
    }
  };
  const ends = await Promise.allSettled(passes.map(repeated));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

export interface Clock {
  /** Waits for running jobs, at most until the deadline, and unlocks the others for other workers. */
  stop(deadlineMs: number): Promise<void>;
}

export interface ClockDeps {
  readonly db: Db;
  readonly jobs: readonly RecurringJob[];
  readonly tickMs: number;
  readonly log: Log;
  /** How long a lock lasts without a renewal; default: 10 s. */
  readonly lockMs?: number;
}

/**
 * Starts this process as a worker of the recurring jobs, and shares them with all workers on the database by a lock on
 * each job's document. The lock is a lease without a fence, so a job may run twice at once, which is harmless. If a due
 * job does not run (`watchJobs`), this worker restarts its scheduler.
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
    // Each check locks the jobs that fall due before the next check, so a job that ends in time is not late. At half
    // the lock's lifetime, a lock that is taken early does not expire before its job is due.
    processEvery: Math.min(tickMs, lockMs / 2),
    defaultLockLifetime: lockMs,
    maxConcurrency: jobs.length,
  });
  agenda.on('error', (error: unknown) =>
    log.warn(
      { err: error },
      'the scheduler of recurring jobs reports an error; it continues, and jobs run at their next tick',
    ),
  );
  define(agenda, jobs, lockMs, log);
  await Promise.all(jobs.map((job) => plan(agenda, db, job)));
  await agenda.start();
  return agenda;
}

/**
 * Stores a job that is not there yet. One that is keeps its next run, and is unlocked: its worker may have died, and
 * this may be its restart.
 */
async function plan(agenda: Agenda, db: Db, { name, everyMs }: RecurringJob): Promise<void> {
  const job = agenda.create(NAME, { job: name }).repeatEvery(everyMs);
  await job.unique({ 'data.job': name }, { insertOnly: true }).save();
  const nextRunAt = new Date(Date.now() + everyMs);
  await db
    .collection(JOBS)
    .updateMany(
      { name: NAME, 'data.job': name },
      { $set: { repeatInterval: everyMs, lockedAt: null }, $min: { nextRunAt } },
    );
}

/** An unreachable database does not delay the end of the process: the locks expire by themselves. */
const UNLOCK_MS = 2_000;

/** Jobs in this worker's queue are still locked; unlocked, they need not wait until the locks expire. */
async function unlockAll(db: Db, worker: string, log: Log): Promise<void> {
  const locked = { lastModifiedBy: worker, lockedAt: { $type: 'date' } } as const;
  await db
    .collection(JOBS)
    .updateMany(locked, { $set: { lockedAt: null } })
    .catch((error: unknown) =>
      log.warn(
        { err: error },
        'could not unlock the recurring jobs at shutdown; other workers take them when the locks expire',
      ),
    );
}

const data = z.object({ job: z.string() });

/** A job that only newer code knows is left to that code. */
function define(agenda: Agenda, jobs: readonly RecurringJob[], lockMs: number, log: Log): void {
  const handler = async (job: Job): Promise<void> => {
    const recurring = jobs.find(({ name }) => name === data.parse(job.attrs.data).job);
    if (!recurring) return;
    const touch = touching(job, lockMs / TOUCHES);
    await tick({ name: recurring.name, run: () => recurring.run(touch) }, log);
  };
  agenda.define(NAME, handler, { concurrency: jobs.length, lockLimit: jobs.length, lockLifetime: lockMs });
}

interface Run {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** One run of a job. An error is logged, and the next tick tries again. */
export async function tick({ name, run }: Run, log: Pick<Log, 'warn'>): Promise<void> {
  try {
    await traced({ name: `job ${name}`, attributes: () => ({ 'tideline.job': name }) }, run);
  } catch (error) {
    log.warn({ err: error, job: name }, 'a recurring job failed; the next tick tries again');
  }
}

/** Renews the lock at most once per `everyMs`, however often it is called. */
function touching(job: Job, everyMs: number): () => Promise<void> {
  let touchedAt = performance.now();
  return async () => {
    if (performance.now() - touchedAt < everyMs) return;
    touchedAt = performance.now();
    await job.touch();
  };
}

interface WatchDeps {
  readonly db: Db;
  readonly jobs: readonly { readonly name: string; readonly everyMs: number }[];
  readonly lockMs: number;
  readonly log: Pick<Log, 'warn'>;
}

/** The fields of Agenda's job document that are used here. */
const stored = z
  .object({
    data: z.object({ job: z.string() }),
    nextRunAt: z.date().nullish(),
    lockedAt: z.date().nullish(),
  })
  .transform(({ data, ...times }) => ({ name: data.job, ...times }));
type Stored = z.infer<typeof stored>;

/** How many checks happen within one lifetime of a lock. */
const LOOKS = 2;

/**
 * Finds jobs that no worker will run, and repairs them.
 *
 * - A job that is due, and that no worker has locked since, is forgotten. Agenda forgets a job for good when the
 *   process pauses (a suspended machine, a clock that is set forward) for longer than the lifetime of a lock while the
 *   job is in its queue.
 * - A job whose next run or lock is later than any worker would have set it: the clock was set back since. The job
 *   becomes due now, and free.
 */
function watchJobs({ db, jobs, lockMs, log }: WatchDeps, forgotten: () => Promise<void>): { stop(): Promise<void> } {
  const rows = db.collection(JOBS);
  const everyOf = new Map(jobs.map(({ name, everyMs }) => [name, everyMs]));
  const names = [...everyOf.keys()];
  const options = { projection: { data: 1, nextRunAt: 1, lockedAt: 1 } };
  const check = async (): Promise<void> => {
    const now = Date.now();
    const seen = (await rows.find({ 'data.job': { $in: names } }, options).toArray()).map((row) => stored.parse(row));
    const inState = (wanted: JobState): string[] =>
      seen.filter((job) => stateOf(job, everyOf.get(job.name) ?? 0, lockMs, now) === wanted).map(({ name }) => name);
    const ahead = inState('ahead');
    if (ahead.length > 0) {
      log.warn(
        { jobs: ahead },
        'the next run of these jobs is too far ahead, because the clock was set back; making them due now',
      );
      await rows.updateMany({ 'data.job': { $in: ahead } }, { $set: { nextRunAt: new Date(now), lockedAt: null } });
    }
    const left = inState('forgotten');
    if (left.length === 0) return;
    log.warn(
      { jobs: left },
      'these recurring jobs are due and no worker runs them; restarting the scheduler of this worker',
    );
    await forgotten();
  };
  let checking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    checking = checking
      .then(check)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not check whether the recurring jobs run; the next check tries again'),
      );
  }, lockMs / LOOKS);
  return {
    stop: async () => {
      clearInterval(timer);
      await checking;
    },
  };
}

/** A lock older than this many lifetimes has no owner. A job that has been due for as long should have been locked. */
const LIVES = 2;

type JobState = 'fine' | 'forgotten' | 'ahead';

function stateOf({ nextRunAt, lockedAt }: Stored, everyMs: number, lockMs: number, now: number): JobState {
  const slackMs = LIVES * lockMs;
  const next = nextRunAt?.getTime() ?? null;
  const locked = lockedAt?.getTime() ?? null;
  if (next !== null && next > now + everyMs + slackMs) return 'ahead';
  if (locked !== null && locked > now + slackMs) return 'ahead';
  const isFree = locked === null || locked <= now - slackMs;
  return isFree && next !== null && next <= now - slackMs ? 'forgotten' : 'fine';
}
