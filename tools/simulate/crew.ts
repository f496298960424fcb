import { z } from 'zod';
import { type Child, startChild } from '../bench/child.ts';
import type { Breakage } from './breakages.ts';
import { type Outcome, outcomeSchema } from './outcome.ts';

/** How many seeds a process gets at once: asking costs a moment, and what is shown goes on in steps of so many. */
const PORTION = 10;

const answer = z.array(outcomeSchema);

export interface CrewOptions {
  readonly seeds: readonly number[];
  readonly workers: number;
  /** How many a process gets at once; unless said otherwise as many as keep it from asking often. */
  readonly portion?: number;
  readonly breakage: Breakage | null;
  /** Gets every outcome as it comes, in no order. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Aborted: no further seed is begun. */
  readonly signal: AbortSignal;
}

/** Runs the seeds in so many processes: a run takes over the timers and the clock of the process that it is in. */
export async function runCrew(options: CrewOptions): Promise<void> {
  const { seeds, workers, breakage, onOutcome, signal } = options;
  const waiting = [...seeds];
  const portion = options.portion ?? Math.max(1, Math.min(PORTION, Math.ceil(seeds.length / workers)));
  const children = Array.from({ length: Math.min(workers, seeds.length) }, () =>
    startChild(import.meta.url, 'child.ts'),
  );
  const work = async (child: Child): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) {
      const outcomes = await child.ask({ seeds: waiting.splice(0, portion), breakage }, answer);
      for (const outcome of outcomes) onOutcome(outcome);
    }
  };
  try {
    await Promise.all(children.map(work));
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}
