import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing, UsageError } from '../../scripts/lib/script.ts';

/** The arguments of `npm run prove -- fuzz`. */
export interface FuzzArguments {
  readonly minutes: number;
  readonly seed: number;
}

const SEED_MAX = 0x7fff_ffff;
const MINUTES_MAX = 10_000;

/** Throws a UsageError for wrong arguments. */
export function readFuzzArguments(argv: readonly string[]): FuzzArguments {
  const { values, positionals } = readArguments(argv, {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
  });
  requireNothing(positionals);
  return {
    minutes: minutesOf(values.minutes),
    seed: values.seed === undefined ? randomInt(SEED_MAX) : integerOf('--seed', values.seed, 0, SEED_MAX),
  };
}

function minutesOf(text: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= MINUTES_MAX) return value;
  throw new UsageError(`--minutes ${text}: expected a number above 0, up to ${MINUTES_MAX}`);
}
