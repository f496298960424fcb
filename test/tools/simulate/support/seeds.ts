import type { Breakage } from '../../../../tools/simulate/breakages.ts';
import { runCrew } from '../../../../tools/simulate/crew.ts';
import type { Outcome } from '../../../../tools/simulate/outcome.ts';
import { againCommand } from '../../../../tools/simulate/show.ts';

/** Runs these seeds in another process. Returns the outcomes in the order of the seeds. */
export async function outcomesOf(seeds: readonly number[], hasSieges = true): Promise<Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  await runCrew({
    seeds,
    workers: 1,
    breakage: null,
    hasSieges,
    onOutcome: (outcome) => outcomes.set(outcome.seed, outcome),
    signal: new AbortController().signal,
  });
  return seeds.flatMap((seed) => outcomes.get(seed) ?? []);
}

/** The violations of the first of these seeds that has any; later ones are not run. */
export async function firstViolations(seeds: readonly number[], breakage: Breakage): Promise<readonly string[]> {
  const found = new AbortController();
  let first: readonly string[] = [];
  const onOutcome = ({ violations }: Outcome): void => {
    if (violations.length === 0) return;
    first = violations;
    found.abort();
  };
  await runCrew({ seeds, workers: 1, portion: 1, breakage, hasSieges: false, onOutcome, signal: found.signal });
  return first;
}

/** `count` seeds from the first. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** For each failed seed: the command that repeats it, and its violations. */
export function failuresOf(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter(({ violations }) => violations.length > 0)
    .map(({ seed, violations }) => `${againCommand(seed, null)}: ${violations.join('; ')}`);
}

/** Long enough for the slowest machine; a run that hangs ends by its number of steps. */
export const SEEDS_MS = 900_000;
