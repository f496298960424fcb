import { readFile } from 'node:fs/promises';
import { FAULT_POINTS, type FaultPoint } from '../../src/engine/faults.ts';

/** The report file of processes with `FAULTS_REPORT`. */
export interface FaultReport {
  readonly reached: ReadonlySet<FaultPoint>;
  /** Plans in the format of `faultPlanText`, one entry for each process that carried one out. */
  readonly carriedOut: readonly string[];
}

/** Reads a report. A missing file counts as empty. */
export async function readFaultReport(file: string): Promise<FaultReport> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const after = (words: string) =>
    lines.filter((line) => line.startsWith(words)).map((line) => line.slice(words.length));
  const reached = after('reached ');
  return {
    reached: new Set(FAULT_POINTS.filter((point) => reached.includes(point))),
    carriedOut: after('carried out '),
  };
}
