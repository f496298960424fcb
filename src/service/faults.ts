import { openSync, writeSync } from 'node:fs';
import type { Config } from '../config.ts';
import { type FaultHook, type FaultPoint, faultHook, faultPlanText, noFaults } from '../engine/faults.ts';

/**
 * What `FAULTS` and `FAULTS_REPORT` ask for; nothing in production. The report gets `reached POINT` when this process
 * arrives at a point for the first time, and `carried out PLAN` before it does what a plan says; it is written at once, so
 * that a kill finds it written, and appended to, so that processes can share it. Throws when the file cannot be written.
 */
export function faultsOf({ faults, faultsReport }: Pick<Config, 'faults' | 'faultsReport'>): FaultHook {
  if (faultsReport === null) return faults.length === 0 ? noFaults : faultHook(faults);
  const file = openSync(faultsReport, 'a');
  const seen = new Set<FaultPoint>();
  return faultHook(faults, {
    reached: (point) => {
      if (seen.has(point)) return;
      seen.add(point);
      writeSync(file, `reached ${point}\n`);
    },
    carriesOut: (plan) => {
      writeSync(file, `carried out ${faultPlanText(plan)}\n`);
    },
  });
}
