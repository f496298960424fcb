import type { FaultPoint } from '../../src/engine/faults.ts';
import type { ReplicaSet } from '../lib/replica-set.ts';
import type { Strike } from './ammunition.ts';
import type { BurstFigures } from './burst/figures.ts';
import type { Run } from './run.ts';
import type { SoakFigures } from './soak/flat.ts';
import type { Verdict } from './verdict.ts';

/** What the processes met in elections. */
export interface ElectionFigures {
  readonly count: number;
  /** Operations by what happened to them. */
  readonly met: ReplicaSet['met'];
  /** Requests of merchants that were answered with 503. */
  readonly unavailable: number;
}

/** The result of a crash test. */
export interface CrashOutcome {
  /** The seed of the random choices; null: there were none. */
  readonly seed: number | null;
  readonly runs: readonly Run[];
  readonly strikes: readonly Strike[];
  /** The figures of a burst; null: it was another run. */
  readonly burst: BurstFigures | null;
  /** The figures of a soak; null: it was another run. */
  readonly soak: SoakFigures | null;
  /** The figures of elections; null: it was another run. */
  readonly elections: ElectionFigures | null;
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

/** The JSON of `--json`. */
export function outcomeJson(outcome: CrashOutcome): string {
  const { seed, runs, strikes, burst, soak, elections, unreached, verdicts, ms } = outcome;
  const text = {
    ok: holds(outcome),
    seed,
    ms,
    runs: runs.map(({ plan, outcome: how, why, ms: after }) => ({ ...plan, outcome: how, why, ms: after })),
    strikes,
    burst,
    soak,
    elections,
    unreached,
    violations: verdicts.flatMap(({ violations }) => violations),
    journals: verdicts.map(({ journals }) => journals),
    figures: verdicts.map(({ figures }) => figures),
  };
  return `${JSON.stringify(text, null, 2)}\n`;
}
