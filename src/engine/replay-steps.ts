import type { Machines } from '../../machines/versions.ts';
import type { JournalRow } from '../store/documents.ts';
import { type Actor, ReplayError, replayFrom } from './replay.ts';
import type { StoredState } from './step.ts';

/** One row of a journal, and the replayed state after it. */
interface ReplayedStep {
  readonly row: JournalRow;
  /** null: the row is before the last upcast, so its machine may no longer exist. */
  readonly state: StoredState | null;
}

export interface ReplayedSteps {
  /** In the order of `rev`; they end where the replay cannot continue. */
  readonly steps: readonly ReplayedStep[];
  /** Why the replay stopped at the next row; null: it did not stop. */
  readonly problem: ReplayError | null;
}

/** Replays a whole journal row by row. `rows` are in order. */
export function replaySteps(machines: Machines, actor: Actor, rows: readonly JournalRow[]): ReplayedSteps {
  const steps: ReplayedStep[] = [];
  try {
    for (const step of replayFrom(machines, actor, rows))
      steps.push({ row: step.row, state: step.after?.state ?? null });
    return { steps, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { steps, problem: error };
  }
}
