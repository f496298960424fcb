import type { Db } from 'mongodb';
import { z } from 'zod';

const job = z.looseObject({ lastRunAt: z.date().nullish() });

/** When any worker last began one of the recurring jobs; null: none ever has. */
export async function lastRun(db: Db): Promise<Date | null> {
  const rows = await db
    .collection(JOBS)
    .find({}, { projection: { lastRunAt: 1 } })
    .toArray();
  const times = rows.flatMap((row) => job.parse(row).lastRunAt?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times));
}

/** The collection in which Agenda keeps the recurring jobs. */
export const JOBS = 'jobs';
