import type { Row } from './row.ts';

/** `full` has the sizes of the targets; `quick` has a twentieth to a quarter of the documents, and shorter rounds. */
export type Size = 'quick' | 'full';

export interface Progress {
  /** Shows the current step. */
  step(text: string): void;
  /** Shows a result at once. */
  found(row: Row): void;
}

/** The input of a benchmark. */
export interface BenchRun {
  readonly size: Size;
  readonly progress: Progress;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}

/** One benchmark. It starts everything that it needs, and leaves nothing behind. */
export interface Bench {
  readonly name: string;
  /** A few words for the usage text. */
  readonly about: string;
  readonly run: (run: BenchRun) => Promise<readonly Row[]>;
}
