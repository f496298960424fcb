import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Log } from '../observability/log.ts';
import { JOBS } from './last-run.ts';

export interface WatchDeps {
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
 * - A job whose next run or lock is later than any worker would have set it dates from before the clock was set back:
 *   it becomes due now, and free.
 */
export function watchJobs(
  { db, jobs, lockMs, log }: WatchDeps,
  forgotten: () => Promise<void>,
): { stop(): Promise<void> } {
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
