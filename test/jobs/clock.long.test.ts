import type { Db, MongoClient } from 'mongodb';
import { type Clock, type ClockDeps, startClock } from '../../src/jobs/clock.ts';
import { JOBS } from '../../src/jobs/last-run.ts';
import type { Log } from '../../src/observability/log.ts';
import { until } from '../../stage/until.ts';
import { startTestDevnet } from '../support/devnet.ts';

const LOCK_MS = 1_000;

let client: MongoClient;
let db: Db;
let runs: number;
let warnings: string[];
const clocks: Clock[] = [];

beforeAll(async () => {
  client = await (await startTestDevnet()).openClient();
}, 120_000);

beforeEach(async () => {
  runs = 0;
  warnings = [];
  db = client.db(`clock_${Date.now()}`);
});

afterEach(async () => {
  for (const clock of clocks.splice(0)) await clock.stop(5_000);
});

/** The job is locked long before it is due, so its runs do not fall on ticks. */
async function start({ tickMs }: Pick<ClockDeps, 'tickMs'>): Promise<Clock> {
  const everyMs = tickMs * 1.8;
  const warn = (_: object, message: string) => void warnings.push(message);
  const log: Log = { debug: () => {}, info: () => {}, warn, error: warn };
  const run = async (): Promise<void> => {
    runs += 1;
  };
  const clock = await startClock({
    db,
    jobs: [{ name: 'job', everyMs, run }],
    tickMs,
    log,
    lockMs: LOCK_MS,
  });
  clocks.push(clock);
  return clock;
}

/** Agenda locks a job before it is due, and it waits in the queue of this process. */
async function untilQueued(): Promise<void> {
  await until(
    'the job is queued',
    () => db.collection(JOBS).findOne({ $expr: { $gt: ['$lockedAt', '$lastRunAt'] } }),
    (job) => job !== null,
  );
}

/** Nobody runs it, and no process has it in its queue. */
async function untilIdle(): Promise<void> {
  await until(
    'the job is left alone',
    () => db.collection(JOBS).findOne({ lockedAt: null, lastFinishedAt: { $type: 'date' } }),
    (job) => job !== null,
  );
}

async function untilRun(count: number): Promise<void> {
  await until(
    `the job has run ${count} times`,
    () => runs,
    (now) => now >= count,
  );
}

function anHourAhead(): Date {
  return new Date(Date.now() + 3_600_000);
}

/** As if the machine was suspended. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a recurring job', () => {
  it('runs again after its process was suspended for longer than a lock lasts', async () => {
    await start({ tickMs: 400 });
    await untilRun(1);
    await untilQueued();
    const before = runs;
    standStill(2 * LOCK_MS);
    await untilRun(before + 3);
    expect(warnings).toContain(
      'these recurring jobs are due and no worker runs them; restarting the scheduler of this worker',
    );
  });

  it('runs without trouble if ticks are longer than a lock lasts', async () => {
    await start({ tickMs: 2 * LOCK_MS });
    await untilRun(3);
    expect(warnings).toEqual([]);
  });

  it('runs again in a new process after the clock was set back by an hour', async () => {
    const clock = await start({ tickMs: 400 });
    await untilRun(1);
    await clock.stop(5_000);
    const before = runs;
    await db.collection(JOBS).updateOne({}, { $set: { nextRunAt: anHourAhead() } });
    await start({ tickMs: 400 });
    await untilRun(before + 3);
    expect(runs).toBeGreaterThanOrEqual(before + 3);
  });

  it('runs again if another worker locked it and died before the clock was set back by an hour', async () => {
    await start({ tickMs: 400 });
    await untilRun(1);
    await untilIdle();
    const before = runs;
    await db.collection(JOBS).updateOne({}, { $set: { lockedAt: anHourAhead() } });
    await untilRun(before + 3);
    expect(runs).toBeGreaterThanOrEqual(before + 3);
  });

  it('is left unlocked by a worker that stops', async () => {
    const clock = await start({ tickMs: 400 });
    await untilRun(1);
    await untilQueued();
    await clock.stop(5_000);
    expect(await db.collection(JOBS).findOne({ lockedAt: { $type: 'date' } })).toBeNull();
  });
});
