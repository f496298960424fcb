import { randomInt } from 'node:crypto';
import { readArguments, requireNothing } from '../lib/arguments.ts';
import { UsageError } from '../lib/script.ts';

/** What `npm run crashtest` was asked for. */
export interface CrashOptions {
  readonly full: boolean;
  /** null: fault points are gone through, not random moments. */
  readonly strikes: StrikeOptions | null;
  readonly json: boolean;
}

export interface StrikeOptions {
  readonly count: number;
  readonly seed: number;
}

const STRIKES_MAX = 10_000;
const SEED_MAX = 0xffff_ffff;

/** Throws a UsageError for what is not understood. */
export function readCrashOptions(argv: readonly string[]): CrashOptions {
  const { values, positionals } = readArguments(argv, {
    full: { type: 'boolean', default: false },
    kills: { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  requireNothing(positionals);
  const { full, kills, seed, json } = values;
  if (full && kills !== undefined) throw new UsageError('--full and --kills are two runs: expected one of them');
  if (seed !== undefined && kills === undefined) throw new UsageError('--seed is for --kills');
  if (kills === undefined) return { full, strikes: null, json };
  const count = integerOf('--kills', kills, 1, STRIKES_MAX);
  return { full, strikes: { count, seed: seed === undefined ? randomInt(SEED_MAX) : seedOf(seed) }, json };
}

function seedOf(text: string): number {
  return integerOf('--seed', text, 0, SEED_MAX);
}

function integerOf(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${name} ${text}: expected an integer from ${least} to ${most}`);
}
