import { hundredths } from '../../../machines/rules/money.ts';
import { invalid } from '../../fault.ts';
import type { Split } from '../../store/collections.ts';
import { comparableAddress, requireAddress } from '../addresses.ts';

const HUNDRED_PERCENT = 10_000n;

/** Checks what `splitEvm` and `splitSolana` of an offer say (docs/rules.md, "Money"). Throws 400 naming the field. */
export function requireSplits(splitEvm: readonly Split[] | null, splitSolana: readonly unknown[] | null): Split[] {
  if (splitSolana !== null && splitSolana.length > 0)
    throw invalid('splitSolana must be empty: Solana payouts cannot be split');
  if (splitEvm === null) return [];
  const rows = splitEvm.map((row, index) => requireRow(row, `splitEvm[${index}]`));
  const seen = new Set<string>();
  for (const [index, { address }] of rows.entries()) {
    const key = comparableAddress('evm', address);
    if (seen.has(key)) throw invalid(`splitEvm[${index}].address repeats ${address}`);
    seen.add(key);
  }
  const sum = rows.reduce((total, { percentage }) => total + hundredths(percentage), 0n);
  if (sum > HUNDRED_PERCENT) throw invalid('splitEvm must not sum up to more than 100 percent');
  return rows;
}

function requireRow({ address, percentage }: Split, field: string): Split {
  if (hundredths(percentage) === 0n) throw invalid(`${field}.percentage must be more than 0`);
  return { address: requireAddress('evm', address, `${field}.address`), percentage };
}
