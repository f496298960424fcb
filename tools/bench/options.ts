import { integerOf, readArguments, requireNothing, UsageError } from '../../scripts/lib/script.ts';
import type { Bench, Size } from './bench.ts';
import { BENCHES } from './benches.ts';

export interface BenchOptions {
  readonly benches: readonly Bench[];
  readonly size: Size;
  /** As in `BenchRun`. */
  readonly asked: Size | number | null;
  /** The page whose sections the results replace; null: none. */
  readonly markdown: string | null;
}

/** Throws a UsageError for wrong arguments. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  const { values, positionals } = readArguments(argv, {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    markdown: { type: 'string' },
  });
  const [name, ...rest] = positionals;
  requireNothing(rest);
  if (values.quick && values.full) throw new UsageError('--quick and --full exclude each other: expected one of them');
  const { quick, full, markdown = null } = values;
  const benches = benchesNamed(name);
  const named = quick ? 'quick' : full ? 'full' : null;
  const count = values.count === undefined ? null : countOf(values.count, benches, named);
  return { benches, size: quick ? 'quick' : 'full', asked: count ?? named, markdown };
}

const COUNT_MAX = 10_000_000;

function countOf(text: string, benches: readonly Bench[], named: Size | null): number {
  if (named !== null) throw new UsageError(`--count and --${named} exclude each other: expected one of them`);
  const other = benches.find(({ takesCount }) => !takesCount);
  if (other) throw new UsageError(`--count: ${other.name} has no such number`);
  return integerOf('--count', text, 1, COUNT_MAX);
}

function benchesNamed(name: string | undefined): readonly Bench[] {
  if (name === undefined) return BENCHES;
  const found = BENCHES.filter((bench) => bench.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`unknown benchmark ${name}: expected ${BENCHES.map((bench) => bench.name).join(', ')}`);
}
