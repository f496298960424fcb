import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { integerOf, readArguments, requireNothing, UsageError } from '../../scripts/lib/script.ts';
import { BREAKAGES, type Breakage } from './breakages.ts';

/** The arguments of `npm run prove -- simulate`. */
export interface SimulateArguments {
  readonly seeds: readonly number[];
  readonly workers: number;
  readonly trace: boolean;
  readonly breakage: Breakage | null;
  readonly hasSieges: boolean;
}

const SEED_MAX = 0x7fff_ffff;
const SEEDS_MAX = 10_000_000;

/** Throws a UsageError for wrong arguments. */
export function readSimulateArguments(argv: readonly string[]): SimulateArguments {
  const { values, positionals } = readArguments(argv, {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    step: { type: 'string' },
    workers: { type: 'string' },
    trace: { type: 'boolean', default: false },
    broken: { type: 'string' },
    'no-siege': { type: 'boolean', default: false },
  });
  requireNothing(positionals);
  const count = values.seeds === undefined ? null : integerOf('--seeds', values.seeds, 1, SEEDS_MAX);
  const first = values.seed === undefined ? null : integerOf('--seed', values.seed, 0, SEED_MAX);
  const step = values.step === undefined ? 1 : integerOf('--step', values.step, 1, 1_000);
  const seeds = seedsOf(first, count, step);
  if (values.trace && seeds.length > 1) throw new UsageError('--trace shows one seed: name it with --seed');
  const workers = values.workers === undefined ? availableParallelism() : integerOf('--workers', values.workers, 1, 64);
  const hasSieges = !values['no-siege'];
  return { seeds, workers, trace: values.trace, breakage: breakageOf(values.broken), hasSieges };
}

/** `--seed` alone is one seed; `--seeds` alone begins at a random one. */
function seedsOf(first: number | null, count: number | null, step: number): number[] {
  const from = first ?? randomInt(SEED_MAX - SEEDS_MAX);
  const length = count ?? (first === null ? 100 : 1);
  return Array.from({ length }, (_, index) => from + index * step);
}

function breakageOf(text: string | undefined): Breakage | null {
  if (text === undefined) return null;
  const found = BREAKAGES.find((name) => name === text);
  if (found) return found;
  throw new UsageError(`--broken ${text}: expected one of ${BREAKAGES.join(', ')}`);
}
