import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { chainPid } from '../../crashtest/chain-process.ts';
import { residentMiB } from '../resident.ts';
import type { BenchService } from '../service.ts';
import type { Process, Sample } from './course.ts';

const MIB = 2 ** 20;

/** The processes of a run. */
export interface Processes {
  readonly pids: Readonly<Record<Process, number>>;
  readonly service: BenchService;
  readonly metricsToken: string;
}

const server = z.object({ pid: z.coerce.number() });

export async function processesOf(
  mongo: MongoClient,
  rpcUrl: string,
  service: BenchService,
  metricsToken: string,
): Promise<Processes> {
  const { pid: database } = server.parse(await mongo.db('admin').command({ serverStatus: 1 }));
  return { pids: { service: service.pid, database, node: await chainPid({ rpcUrl }) }, service, metricsToken };
}

export async function sampleOf({ pids, service, metricsToken }: Processes): Promise<Sample> {
  const of = (figure: (pid: number) => number): Record<Process, number> => ({
    service: figure(pids.service),
    database: figure(pids.database),
    node: figure(pids.node),
  });
  return { mib: of(residentMiB), cpuMs: of(processorMs), heapMiB: await heapMiB(service, metricsToken) };
}

async function heapMiB({ url }: BenchService, token: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const used = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(await response.text())?.[1];
  if (used === undefined) throw new Error(`the service answered ${response.status} without the size of its heap`);
  return Number(used) / MIB;
}

const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** `utime` and `stime`, counted after the name of the command, which may have spaces. */
const TIMES_AT = 11;

function processorMs(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = after
    .split(' ')
    .slice(TIMES_AT, TIMES_AT + 2)
    .map(Number);
  return (((user ?? 0) + (system ?? 0)) / TICKS_PER_S) * 1_000;
}
