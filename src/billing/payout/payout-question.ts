import type { Catalog } from '../../chains/catalog.ts';
import type { PaymentAttributes } from '../payments/attributes.ts';
import type { PayoutQuestion } from './payouts.ts';

/** The query for the payout address of a cycle's payment; null: its token is not in the catalog. */
export function payoutQuestion(
  catalog: Catalog,
  { tokenKey, chainId, destination }: PaymentAttributes,
): PayoutQuestion | null {
  const family = catalog.tokenByKey(tokenKey)?.family;
  return family === undefined ? null : { tokenKey, chainId, family, fallback: destination };
}
