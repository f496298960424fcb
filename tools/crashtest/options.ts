import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing } from '../../scripts/lib/arguments.ts';
import { UsageError } from '../../scripts/lib/script.ts';

/** One run of `npm run prove -- crash` or `elections`. */
export type CrashRun =
  /** Every fault point; `full`: at each of its first three hits. */
  | { readonly kind: 'points'; readonly full: boolean }
  | StrikeRun
  | BurstRun
  | { readonly kind: 'soak'; readonly minutes: number }
  | { readonly kind: 'elections'; readonly count: number };

export interface StrikeRun {
  readonly kind: 'strikes';
  readonly count: number;
  readonly seed: number;
}

export interface BurstRun {
  readonly kind: 'burst';
  readonly count: number;
  /** The subscriptions fall due evenly over this time; 0: all at one moment. */
  readonly overMs: number;
}

const SEED_MAX = 0xffff_ffff;

const FLAGS = {
  full: { type: 'boolean' },
  kills: { type: 'string' },
  seed: { type: 'string' },
  subscriptions: { type: 'string' },
  over: { type: 'string' },
  minutes: { type: 'string' },
  count: { type: 'string' },
} as const;

/** The flags of each verb; without a verb, those of the fault points and kills. */
const FLAGS_OF: Readonly<Record<string, readonly string[]>> = {
  burst: ['subscriptions', 'over'],
  soak: ['minutes'],
  elections: ['count'],
};
const FLAGS_WITHOUT_VERB = ['full', 'kills', 'seed'];

/** Throws a UsageError for wrong arguments. */
export function readCrashOptions(argv: readonly string[]): { readonly run: CrashRun; readonly json: boolean } {
  const { values, positionals } = readArguments(argv, { ...FLAGS, json: { type: 'boolean', default: false } });
  const [verb, ...rest] = positionals;
  const flags = verb === undefined ? FLAGS_WITHOUT_VERB : FLAGS_OF[verb];
  requireNothing(flags === undefined ? positionals : rest);
  const { json, ...given } = values;
  const wrong = Object.keys(given).find((flag) => !flags?.includes(flag));
  if (wrong !== undefined)
    throw new UsageError(`--${wrong} is not for ${verb ?? 'a run without burst, soak or elections'}`);
  return { run: runOf(verb, given), json };
}

type Given = { readonly [flag in Exclude<keyof typeof FLAGS, 'full'>]?: string | undefined } & {
  readonly full?: boolean | undefined;
};

function runOf(verb: string | undefined, { full = false, kills, seed, ...given }: Given): CrashRun {
  switch (verb) {
    case 'burst': {
      const { subscriptions = '1000', over = '0' } = given;
      const count = integerOf('--subscriptions', subscriptions, 1, 5_000);
      return { kind: 'burst', count, overMs: 1_000 * integerOf('--over', over, 0, 60) };
    }
    case 'soak':
      return { kind: 'soak', minutes: integerOf('--minutes', given.minutes ?? '20', 1, 720) };
    case 'elections':
      return { kind: 'elections', count: integerOf('--count', given.count ?? '30', 1, 1_000) };
    default:
  }
  if (full && kills !== undefined) throw new UsageError('--full and --kills exclude each other: expected one of them');
  if (seed !== undefined && kills === undefined) throw new UsageError('--seed is for --kills');
  if (kills === undefined) return { kind: 'points', full };
  const count = integerOf('--kills', kills, 1, 10_000);
  return {
    kind: 'strikes',
    count,
    seed: seed === undefined ? randomInt(SEED_MAX) : integerOf('--seed', seed, 0, SEED_MAX),
  };
}
