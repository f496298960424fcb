import { z } from 'zod';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import type { ServiceProcess } from '../../../stage/processes.ts';

/** The quantities that are sampled while the service is used. */
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

/** The quantities of one process at one moment, or the duration of one payment. */
export interface Sample {
  /** Milliseconds since the start of the load. */
  readonly atMs: number;
  readonly values: Readonly<Partial<Record<Quantity, number>>>;
}

const MB = 1_048_576;
const SECOND_MS = 1_000;

/** The names of the quantities in `GET /metrics`, and the factors of their units. */
const TOLD: Readonly<Record<Exclude<Quantity, 'paymentMs'>, { readonly name: string; readonly factor: number }>> = {
  residentMb: { name: 'process_resident_memory_bytes', factor: 1 / MB },
  heapMb: { name: 'nodejs_heap_size_used_bytes', factor: 1 / MB },
  openFiles: { name: 'process_open_fds', factor: 1 },
  handles: { name: 'nodejs_active_handles_total', factor: 1 },
  dueLagMs: { name: 'tideline_due_lag_seconds', factor: SECOND_MS },
  loopLagMs: { name: 'nodejs_eventloop_lag_p99_seconds', factor: SECOND_MS },
};

/** Reads the metrics of a process. Rejects if it does not answer. */
export async function sampleOf(service: ServiceProcess, dataDir: string, atMs: number): Promise<Sample> {
  const { token } = staffToken({ DATA_DIR: dataDir });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`GET /metrics of process ${service.pid}: ${answer.status}; expected 200`);
  return { atMs, values: readMetrics(await answer.text()) };
}

/**
 * The quantities of a metrics text; of several labels the largest value.
 * @throws Error with the name of a missing metric
 */
export function readMetrics(text: string): Sample['values'] {
  const entries = Object.entries(TOLD).map(([quantity, { name, factor }]) => {
    const reported = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    const values = reported.map((line) => number.parse(line.slice(line.lastIndexOf(' ') + 1)));
    if (values.length === 0) throw new Error(`GET /metrics has no ${name}`);
    return [quantity, Math.max(...values) * factor];
  });
  return reported.parse(Object.fromEntries(entries));
}

const number = z.coerce.number();
const reported = z.partialRecord(z.enum(QUANTITIES), z.number());
