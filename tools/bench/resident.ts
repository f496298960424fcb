import { readFileSync } from 'node:fs';

/** What a process keeps in memory. Where the system does not tell, nothing is held against it. */
export function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 1) / 1_024;
}
