import type { Db } from 'mongodb';
import type { Log } from '../engine/types.ts';
import { JOBS } from './collection.ts';

export interface WatchDeps {
  readonly db: Db;
  /** Of all recurring jobs. */
  readonly names: readonly string[];
  readonly lockMs: number;
  readonly log: Pick<Log, 'warn'>;
}

/** A job that has been due for so many lives of a lock, and that nobody has locked since, is run by nobody. */
const LIVES = 2;
/** How often within the life of a lock jobs are looked at. */
const LOOKS = 2;

/**
 * Looks for jobs that nobody runs although they are due, and has `restart` called where there is one. Agenda forgets a job for
 * good when the process stands still (a suspended machine, a clock that is set) for longer than its lock lasts while the job
 * waits in the queue: it is locked there, never run, and never locked again.
 */
export function watchJobs(
  { db, names, lockMs, log }: WatchDeps,
  restart: () => Promise<void>,
): { stop(): Promise<void> } {
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const since = new Date(Date.now() - LIVES * lockMs);
    const unlocked = { $or: [{ lockedAt: null }, { lockedAt: { $lte: since } }] };
    const job = await db.collection(JOBS).findOne({ name: { $in: names }, nextRunAt: { $lte: since }, ...unlocked });
    if (job === null) return;
    log.warn({ job: job['name'], dueAt: job['nextRunAt'] }, 'nobody runs a job that is due; the job clock begins anew');
    await restart();
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => log.warn({ err: error }, 'could not look at the jobs'));
  }, lockMs / LOOKS);
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
