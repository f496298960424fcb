import { z } from 'zod';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import type { ServiceProcess } from '../../lib/service-process.ts';

/** The figures sampled again and again while a service is used. */
export const QUANTITIES = [
  'residentMb',
  'heapMb',
  'openFiles',
  'handles',
  'dueLagMs',
  'loopLagMs',
  'paymentMs',
] as const;

export type Quantity = (typeof QUANTITIES)[number];

/** One process at one moment, or how long one payment took: what was read, by its name. */
export interface Sample {
  /** Since the load began, milliseconds. */
  readonly atMs: number;
  readonly values: Readonly<Partial<Record<Quantity, number>>>;
}

const MB = 1_048_576;
const SECOND_MS = 1_000;

/** The names under which `GET /metrics` tells them, and what one unit of ours is there. */
const TOLD: Readonly<Record<Exclude<Quantity, 'paymentMs'>, { readonly name: string; readonly factor: number }>> = {
  residentMb: { name: 'process_resident_memory_bytes', factor: 1 / MB },
  heapMb: { name: 'nodejs_heap_size_used_bytes', factor: 1 / MB },
  openFiles: { name: 'process_open_fds', factor: 1 },
  handles: { name: 'nodejs_active_handles_total', factor: 1 },
  dueLagMs: { name: 'tideline_due_lag_seconds', factor: SECOND_MS },
  loopLagMs: { name: 'nodejs_eventloop_lag_p99_seconds', factor: SECOND_MS },
};

/** Asks a process for its metrics. Rejects when it does not answer them. */
export async function sampleOf(service: ServiceProcess, dataDir: string, atMs: number): Promise<Sample> {
  const { token } = staffToken({ DATA_DIR: dataDir });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`GET /metrics of process ${service.pid}: ${answer.status}; expected 200`);
  return { atMs, values: readMetrics(await answer.text()) };
}

/** Of what is told with several labels the largest. @throws Error naming what is missing */
export function readMetrics(text: string): Sample['values'] {
  const entries = Object.entries(TOLD).map(([quantity, { name, factor }]) => {
    const reported = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    const values = reported.map((line) => number.parse(line.slice(line.lastIndexOf(' ') + 1)));
    if (values.length === 0) throw new Error(`GET /metrics tells no ${name}`);
    return [quantity, Math.max(...values) * factor];
  });
  return reported.parse(Object.fromEntries(entries));
}

const number = z.coerce.number();
const reported = z.object({
  residentMb: z.number(),
  heapMb: z.number(),
  openFiles: z.number(),
  handles: z.number(),
  dueLagMs: z.number(),
  loopLagMs: z.number(),
});
