import { hundredths } from '../../../machines/rules/money.ts';
import { invalid } from '../../errors/fault.ts';
import { comparableAddress } from '../../model/addresses.ts';
import type { Split } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { chainsOf, type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';

const HUNDRED_PERCENT = 10_000n;

/** Checks `splitEvm` and `splitSolana` of an offer (docs/rules.md, "Money"). Throws 400 naming the field. */
export async function requireSplits(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  splitEvm: readonly Split[] | null,
  splitSolana: readonly unknown[] | null,
): Promise<Split[]> {
  if (splitSolana !== null && splitSolana.length > 0)
    throw invalid('splitSolana must be empty: Solana payouts cannot be split');
  const rows: Split[] = [];
  const seen = new Set<string>();
  for (const [index, row] of (splitEvm ?? []).entries()) {
    const checked = await requireRow(deps, tenant, row, `splitEvm[${index}]`);
    const key = comparableAddress('evm', checked.address);
    if (seen.has(key)) throw invalid(`splitEvm[${index}].address repeats ${checked.address}`);
    seen.add(key);
    rows.push(checked);
  }
  const sum = rows.reduce((total, { percentage }) => total + hundredths(percentage), 0n);
  if (sum > HUNDRED_PERCENT) throw invalid('splitEvm must not sum up to more than 100 percent');
  return rows;
}

/** Options of any chain may be added later, so a recipient must suit every EVM chain. */
async function requireRow(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  { address, percentage }: Split,
  field: string,
): Promise<Split> {
  if (hundredths(percentage) === 0n) throw invalid(`${field}.percentage must be more than 0`);
  const paidOn = chainsOf(deps.catalog, 'evm');
  return { address: await requirePayoutAddress(deps, tenant, paidOn, address, `${field}.address`), percentage };
}
