import type { Row } from './row.ts';

/** `full` has the sizes of the targets; `quick` has a twentieth to a quarter of the documents, and shorter rounds. */
export type Size = 'quick' | 'full';

export interface Progress {
  step(text: string): void;
  /** Shows a result at once, before those of the whole benchmark. */
  found(row: Row): void;
}

export interface BenchRun {
  readonly size: Size;
  /** The size or the number of subscriptions that the command names; null: none. For benchmarks that `takesCount`. */
  readonly asked: Size | number | null;
  readonly progress: Progress;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}

export interface Bench {
  readonly name: string;
  /** A few words for the usage text. */
  readonly about: string;
  /** Its full size takes hours: without a flag it takes a smaller one, and `--count` names any number. */
  readonly takesCount?: true;
  /** One after the other. Each starts everything that it needs, and leaves nothing behind. */
  readonly parts: readonly ((run: BenchRun) => Promise<readonly Row[]>)[];
}
