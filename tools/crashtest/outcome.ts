import type { FaultPoint } from '../../src/engine/faults.ts';
import type { Run } from './run.ts';
import type { Verdict } from './verdict.ts';

export interface CrashOutcome {
  /** A heading for people, such as the number of kills. */
  readonly title: string;
  readonly runs: readonly Run[];
  /** Declared fault points that no process reached; always empty in runs of another kind. */
  readonly unreached: readonly FaultPoint[];
  readonly verdicts: readonly Verdict[];
  readonly ms: number;
}

/** True if there is no violation, every plan was carried out, and every declared point was reached. */
export function holds({ runs, unreached, verdicts }: CrashOutcome): boolean {
  return (
    unreached.length === 0 &&
    runs.every(({ outcome }) => outcome === 'carried out') &&
    verdicts.every(({ violations }) => violations.length === 0)
  );
}
