import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing, UsageError } from '../../scripts/lib/script.ts';

/** One run of `npm run prove -- crash` or `elections`. */
export type CrashRun =
  /** Every fault point; `full`: at each of its first three hits. */
  | { readonly kind: 'points'; readonly full: boolean }
  | StrikeRun
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
  if (verb !== 'elections') return pointsOrStrikes(argv);
  const { values, positionals } = readArguments(rest, { count: { type: 'string', default: '30' } });
  requireNothing(positionals);
  return { kind: 'elections', count: integerOf('--count', values.count, 1, 1_000) };
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
