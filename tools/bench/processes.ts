import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { MongoClient } from 'mongodb';
import { z } from 'zod';

const server = z.object({ pid: z.coerce.number().int() });

export async function pidOf(mongo: MongoClient): Promise<number> {
  return server.parse(await mongo.db('admin').command({ serverStatus: 1 })).pid;
}

/** The resident memory of a process. If the system does not report it, 1 KiB, which no target objects to. */
export function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 1) / 1_024;
}

/** How many files and connections a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** `utime` and `stime`, counted after the name of the command, which may have spaces. */
const TIMES_AT = 11;

/** The processor time of a process since its start. */
export function processorMs(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const times = after.split(' ').slice(TIMES_AT, TIMES_AT + 2);
  return (times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_S) * 1_000;
}

/**
 * The current slowness of the machine: the processor time, in milliseconds, of a fixed piece of work in this process,
 * which parses text and writes it again. On a shared machine it may double within a minute.
 */
export function yardstickMs(): number {
  const began = process.cpuUsage();
  JSON.stringify(JSON.parse(TEXT));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

const TEXT = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => ({
    id: `row-${index}`,
    state: { name: 'waiting', since: '2026-01-01T00:00:00.000Z', tries: [index, index + 1, index + 2] },
    amounts: { gross: String(index * 1_000_003), share: String(index * 997), fee: null },
  })),
);
