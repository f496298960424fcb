import { openSync, writeSync } from 'node:fs';
import type { FaultHook, FaultPlan, FaultPoint } from '../src/engine/faults.ts';

/**
 * A hook that carries out `plans`. The file `report`, if given, gets `reached POINT` when this process first reaches a
 * point, and `carried out PLAN` before each plan. Lines are written at once, so that a kill loses none, and appended,
 * so that processes can share the file. Throws if the file cannot be written.
 */
export function injectFaults(plans: readonly FaultPlan[], report: string | null): FaultHook {
  if (report === null) return faultHook(plans);
  const file = openSync(report, 'a');
  const seen = new Set<FaultPoint>();
  return faultHook(plans, {
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

/** A plan in the format of `FAULTS`, always with its hit. */
export function faultPlanText({ point, detail, hit, action }: FaultPlan): string {
  return `${point}${detail === null ? '' : `/${detail}`}@${hit}=${action}`;
}

/** Receives the events at the fault points. It completes before the process continues or dies. */
export interface FaultListener {
  /** Called at every arrival at a point. */
  readonly reached: (point: FaultPoint) => void;
  readonly carriesOut: (plan: FaultPlan) => void;
}

const nobody: FaultListener = { reached: () => {}, carriesOut: () => {} };

/** A hook that carries out plans. */
export function faultHook(plans: readonly FaultPlan[], listener: FaultListener = nobody): FaultHook {
  const hits = new Map<FaultPlan, number>();
  return async (point, detail) => {
    listener.reached(point);
    for (const plan of plans) {
      if (plan.point !== point || (plan.detail !== null && plan.detail !== detail)) continue;
      const hit = (hits.get(plan) ?? 0) + 1;
      hits.set(plan, hit);
      if (hit !== plan.hit) continue;
      listener.carriesOut(plan);
      await carryOut(plan);
    }
  };
}

async function carryOut(plan: FaultPlan): Promise<void> {
  switch (plan.action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    case 'throw':
      throw new Error(`fault injected at ${plan.point}`);
    case 'delay':
      return new Promise((resolve) => setTimeout(resolve, 1_000));
    default: {
      const never: never = plan.action;
      throw new Error(`unknown fault action ${String(never)}`);
    }
  }
}
