import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing } from '../../scripts/lib/arguments.ts';
import { UsageError } from '../../scripts/lib/script.ts';

/** The arguments of `npm run prove -- crash`. */
export interface CrashOptions {
  readonly full: boolean;
  /** null: a run over the fault points, without random kills. */
  readonly strikes: StrikeOptions | null;
  /** null: no burst. */
  readonly burst: BurstOptions | null;
  /** null: no soak. */
  readonly soak: SoakOptions | null;
  /** null: no elections. */
  readonly elections: ElectionOptions | null;
  readonly json: boolean;
}

export interface ElectionOptions {
  readonly count: number;
}

export interface BurstOptions {
  /** The number of subscriptions. */
  readonly count: number;
  /** The subscriptions fall due evenly over this time; 0: all at one moment. */
  readonly overMs: number;
}

export interface SoakOptions {
  readonly minutes: number;
}

export interface StrikeOptions {
  readonly count: number;
  readonly seed: number;
}

const BURST = { usual: 1_000, most: 5_000, secondsMost: 60 } as const;
const SOAK = { usual: 20, most: 720 } as const;
const ELECTIONS = { usual: 30, most: 1_000 } as const;
const STRIKES_MAX = 10_000;
const SEED_MAX = 0xffff_ffff;
const VERBS: ReadonlySet<string> = new Set(['burst', 'soak', 'elections']);

/** Throws a UsageError for wrong arguments. */
export function readCrashOptions(argv: readonly string[]): CrashOptions {
  const { values, positionals } = readArguments(argv, {
    full: { type: 'boolean', default: false },
    kills: { type: 'string' },
    seed: { type: 'string' },
    subscriptions: { type: 'string' },
    over: { type: 'string' },
    minutes: { type: 'string' },
    count: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const [verb, ...rest] = positionals;
  requireNothing(verb !== undefined && VERBS.has(verb) ? rest : positionals);
  const { full, kills, seed, subscriptions, over, minutes, count: elections, json } = values;
  const nothing = { full, strikes: null, burst: null, soak: null, elections: null, json };
  if (verb !== 'soak' && minutes !== undefined) throw new UsageError('--minutes is for soak');
  if (verb !== 'elections' && elections !== undefined) throw new UsageError('--count is for elections');
  if (verb !== undefined && (full || kills !== undefined || seed !== undefined)) {
    throw new UsageError(`${verb} is a run of its own: expected neither --full nor --kills nor --seed`);
  }
  if (verb === 'burst') {
    const count = integerOf('--subscriptions', subscriptions ?? String(BURST.usual), 1, BURST.most);
    const overMs = 1_000 * integerOf('--over', over ?? '0', 0, BURST.secondsMost);
    return { ...nothing, burst: { count, overMs } };
  }
  if (subscriptions !== undefined || over !== undefined)
    throw new UsageError('--subscriptions and --over are for burst');
  if (verb === 'soak') {
    return { ...nothing, soak: { minutes: integerOf('--minutes', minutes ?? String(SOAK.usual), 1, SOAK.most) } };
  }
  if (verb === 'elections') {
    const count = integerOf('--count', elections ?? String(ELECTIONS.usual), 1, ELECTIONS.most);
    return { ...nothing, elections: { count } };
  }
  if (full && kills !== undefined) throw new UsageError('--full and --kills exclude each other: expected one of them');
  if (seed !== undefined && kills === undefined) throw new UsageError('--seed is for --kills');
  if (kills === undefined) return nothing;
  const count = integerOf('--kills', kills, 1, STRIKES_MAX);
  const strikes = { count, seed: seed === undefined ? randomInt(SEED_MAX) : seedOf(seed) };
  return { ...nothing, strikes };
}

function seedOf(text: string): number {
  return integerOf('--seed', text, 0, SEED_MAX);
}
