import { type Child, startChild } from '../lib/child.ts';
import type { Breakage } from './breakages.ts';
import type { SeedRunner } from './child.ts';
import type { Outcome } from './outcome.ts';

/** How many seeds a process gets at once. More save messages; fewer show progress more often. */
const PORTION = 10;

export interface CrewOptions {
  readonly seeds: readonly number[];
  readonly workers: number;
  /** How many seeds a process gets at once; by default as many as keep messages rare. */
  readonly portion?: number;
  readonly breakage: Breakage | null;
  /** False leaves out the siege of every third seed. */
  readonly hasSieges: boolean;
  /** Gets every outcome, in no particular order. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Abort it to start no further seed. */
  readonly signal: AbortSignal;
}

/** Runs the seeds in several processes. Each run replaces the timers and the clock of its process. */
export async function runCrew(options: CrewOptions): Promise<void> {
  const { seeds, workers, breakage, hasSieges, onOutcome, signal } = options;
  const waiting = [...seeds];
  const portion = options.portion ?? Math.max(1, Math.min(PORTION, Math.ceil(seeds.length / workers)));
  const children = Array.from({ length: Math.min(workers, seeds.length) }, () =>
    startChild<SeedRunner>(import.meta.url, 'child.ts'),
  );
  const work = async (child: Child<SeedRunner>): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) {
      const outcomes = await child.ask('run', { seeds: waiting.splice(0, portion), breakage, hasSieges });
      for (const outcome of outcomes) onOutcome(outcome);
    }
  };
  try {
    await Promise.all(children.map(work));
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}
