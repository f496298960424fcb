import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing } from '../../scripts/lib/arguments.ts';
import { UsageError } from '../../scripts/lib/script.ts';

/** One run of `npm run prove -- crash` or `elections`. */
export type CrashRun =
  /** Every fault point; `full`: at each of its first three hits. */
  | { readonly kind: 'points'; readonly full: boolean }
  | StrikeRun
  | { readonly kind: 'soak'; readonly minutes: number }
  | { readonly kind: 'elections'; readonly count: number };

export interface StrikeRun {
  readonly kind: 'strikes';
  readonly count: number;
  readonly seed: number;
}

const SEED_MAX = 0xffff_ffff;

/** Throws a UsageError for wrong arguments. */
export function readCrashOptions(argv: readonly string[]): CrashRun {
  const [verb, ...rest] = argv;
  switch (verb) {
    case 'soak':
      return { kind: 'soak', minutes: integerFrom(rest, 'minutes', '20', 720) };
    case 'elections':
      return { kind: 'elections', count: integerFrom(rest, 'count', '30', 1_000) };
    default:
      return pointsOrStrikes(argv);
  }
}

/** The value of a verb's only flag. */
function integerFrom(argv: readonly string[], flag: string, usual: string, most: number): number {
  const { values, positionals } = readArguments(argv, { [flag]: { type: 'string', default: usual } });
  requireNothing(positionals);
  return integerOf(`--${flag}`, String(values[flag]), 1, most);
}

function pointsOrStrikes(argv: readonly string[]): CrashRun {
  const flags = {
    full: { type: 'boolean', default: false },
    kills: { type: 'string' },
    seed: { type: 'string' },
  } as const;
  const { values, positionals } = readArguments(argv, flags);
  requireNothing(positionals);
  const { full, kills, seed } = values;
  if (full && kills !== undefined) throw new UsageError('--full and --kills exclude each other: expected one of them');
  if (seed !== undefined && kills === undefined) throw new UsageError('--seed is for --kills');
  if (kills === undefined) return { kind: 'points', full };
  return {
    kind: 'strikes',
    count: integerOf('--kills', kills, 1, 10_000),
    seed: seed === undefined ? randomInt(SEED_MAX) : integerOf('--seed', seed, 0, SEED_MAX),
  };
}
