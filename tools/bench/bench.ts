import type { Row } from './row.ts';

/** `full` is what targets are stated for; `quick` has a twentieth to a quarter of the documents, and shorter rounds. */
export type Size = 'quick' | 'full';

export interface Progress {
  /** What is being done now. */
  step(text: string): void;
  /** A result, shown as soon as it is there. */
  found(row: Row): void;
}

/** What a benchmark is run with. */
export interface BenchRun {
  readonly size: Size;
  readonly progress: Progress;
  /** Aborted when somebody has asked for the end. */
  readonly signal: AbortSignal;
}

/** One benchmark: it starts all that it needs, and leaves nothing behind. */
export interface Bench {
  readonly name: string;
  /** For the usage, in a few words. */
  readonly about: string;
  readonly run: (run: BenchRun) => Promise<readonly Row[]>;
}
