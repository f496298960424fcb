import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { MongoClient } from 'mongodb';
import { z } from 'zod';
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
  return { pids: { service: service.pid, database, node: nodeAt(new URL(rpcUrl).port) }, service, metricsToken };
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

/** The local node that listens on this port. */
function nodeAt(port: string): number {
  const wanted = `\0--port\0${port}\0`;
  const found = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isNode(name, wanted));
  if (found === undefined) throw new Error(`no local node has the port ${port}`);
  return Number(found);
}

function isNode(pid: string, wanted: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /^[^\0]*anvil\0/.test(command) && command.includes(wanted);
  } catch {
    // It has ended meanwhile.
    return false;
  }
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
