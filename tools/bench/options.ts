import { readArguments, requireNothing } from '../../scripts/lib/arguments.ts';
import { UsageError } from '../../scripts/lib/script.ts';
import type { Bench, Size } from './bench.ts';
import { BENCHES } from './benches.ts';

export interface BenchOptions {
  readonly benches: readonly Bench[];
  readonly size: Size;
  readonly json: boolean;
  /** The page whose sections are to be replaced by what is found; null: none. */
  readonly markdown: string | null;
}

/** Throws a UsageError for what is not understood. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  const { values, positionals } = readArguments(argv, {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  });
  const [name, ...rest] = positionals;
  requireNothing(rest);
  if (values.quick && values.full) throw new UsageError('--quick and --full are two runs: expected one of them');
  const { quick, json, markdown = null } = values;
  return { benches: benchesNamed(name), size: quick ? 'quick' : 'full', json, markdown };
}

function benchesNamed(name: string | undefined): readonly Bench[] {
  if (name === undefined) return BENCHES;
  const found = BENCHES.filter((bench) => bench.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`There is no benchmark ${name}: expected ${BENCHES.map((bench) => bench.name).join(', ')}`);
}
