import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Log } from '../observability/log.ts';
import { JOBS } from './collection.ts';

export interface WatchDeps {
  readonly db: Db;
  readonly jobs: readonly { readonly name: string; readonly everyMs: number }[];
  readonly lockMs: number;
  readonly log: Pick<Log, 'warn'>;
}

/** What Agenda keeps of a job, as far as it matters here. */
const stored = z.object({ name: z.string(), nextRunAt: z.date().nullish(), lockedAt: z.date().nullish() });
type Stored = z.infer<typeof stored>;

/** How often within the life of a lock jobs are checked. */
const LOOKS = 2;

/**
 * Searches for jobs that nobody will run, and helps.
 *
 * - One that is due and that nobody has locked since has been forgotten: `restart` is called. Agenda does so for good when the
 *   process stands still (a suspended machine, a clock that is set forward) for longer than a lock lasts while the job waits in
 *   its queue.
 * - One that is to run, or has been locked, later than any worker would have said is from before the clock was set back: it is
 *   due now, and free.
 */
export function watchJobs(
  { db, jobs, lockMs, log }: WatchDeps,
  restart: () => Promise<void>,
): { stop(): Promise<void> } {
  const rows = db.collection(JOBS);
  const everyOf = new Map(jobs.map(({ name, everyMs }) => [name, everyMs]));
  const names = [...everyOf.keys()];
  const options = { projection: { name: 1, nextRunAt: 1, lockedAt: 1 } };
  const check = async (): Promise<void> => {
    const now = Date.now();
    const seen = (await rows.find({ name: { $in: names } }, options).toArray()).map((row) => stored.parse(row));
    const inState = (wanted: Standing): string[] =>
      seen.filter((job) => standingOf(job, everyOf.get(job.name) ?? 0, lockMs, now) === wanted).map(({ name }) => name);
    const ahead = inState('ahead');
    if (ahead.length > 0) {
      log.warn({ jobs: ahead }, 'jobs wait for a moment that the clock has been set back from; they are due now');
      await rows.updateMany({ name: { $in: ahead } }, { $set: { nextRunAt: new Date(now), lockedAt: null } });
    }
    const forgotten = inState('forgotten');
    if (forgotten.length === 0) return;
    log.warn({ jobs: forgotten }, 'nobody runs jobs that are due; the job clock begins anew');
    await restart();
  };
  let checking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    checking = checking.then(check).catch((error: unknown) => log.warn({ err: error }, 'could not check the jobs'));
  }, lockMs / LOOKS);
  return {
    stop: async () => {
      clearInterval(timer);
      await checking;
    },
  };
}

/** A lock that is older than so many lives is nobody's, and a job that has been due for as long should have been locked. */
const LIVES = 2;

type Standing = 'fine' | 'forgotten' | 'ahead';

function standingOf({ nextRunAt, lockedAt }: Stored, everyMs: number, lockMs: number, now: number): Standing {
  const slackMs = LIVES * lockMs;
  const next = nextRunAt?.getTime() ?? null;
  const locked = lockedAt?.getTime() ?? null;
  if (next !== null && next > now + everyMs + slackMs) return 'ahead';
  if (locked !== null && locked > now + slackMs) return 'ahead';
  const isFree = locked === null || locked <= now - slackMs;
  return isFree && next !== null && next <= now - slackMs ? 'forgotten' : 'fine';
}
