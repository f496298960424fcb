import type { Machines } from '../../machines/versions.ts';
import type { JournalDoc } from '../store/documents.ts';
import { ReplayError, replayFrom } from './replay.ts';
import type { StoredState } from './step.ts';

/** One row of a journal, and what the replay has come to with it. */
export interface ReplayedStep {
  readonly row: JournalDoc;
  /** null: the row is before the last upcast, so that its machine may be gone. */
  readonly state: StoredState | null;
}

export interface ReplayedSteps {
  /** In the order of `rev`; they end where the replay could not go on. */
  readonly steps: readonly ReplayedStep[];
  /** What is wrong with the next row; null: nothing is. */
  readonly problem: ReplayError | null;
}

/** A whole journal, in order, row by row, as `replay` goes through it. */
export function replaySteps(machines: Machines, rows: readonly JournalDoc[]): ReplayedSteps {
  const steps: ReplayedStep[] = [];
  try {
    for (const step of replayFrom(machines, rows)) steps.push({ row: step.row, state: step.after?.state ?? null });
    return { steps, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { steps, problem: error };
  }
}
