import { readArguments, requireNothing } from '../../scripts/lib/arguments.ts';
import { UsageError } from '../../scripts/lib/script.ts';
import type { Bench, Size } from './bench.ts';
import { BENCHES } from './benches.ts';

export interface BenchOptions {
  readonly benches: readonly Bench[];
  readonly size: Size;
  readonly json: boolean;
  /** The page whose sections the results replace; null: none. */
  readonly markdown: string | null;
}

/** Throws a UsageError for wrong arguments. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  const { values, positionals } = readArguments(argv, {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  });
  const [name, ...rest] = positionals;
  requireNothing(rest);
  if (values.quick && values.full) throw new UsageError('--quick and --full exclude each other: expected one of them');
  const { quick, json, markdown = null } = values;
  return { benches: benchesNamed(name), size: quick ? 'quick' : 'full', json, markdown };
}

function benchesNamed(name: string | undefined): readonly Bench[] {
  if (name === undefined) return BENCHES;
  const found = BENCHES.filter((bench) => bench.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`unknown benchmark ${name}: expected ${BENCHES.map((bench) => bench.name).join(', ')}`);
}
