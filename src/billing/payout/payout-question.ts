import type { Catalog } from '../../chains/catalog.ts';
import type { PaymentAttributes } from '../payments/attributes.ts';
import type { PayoutQuestion } from './payouts.ts';

/** Where the merchant's part of a cycle's payment is to go, as a question; null: its token is not in the catalog. */
export function payoutQuestion(
  catalog: Catalog,
  { tokenKey, chainId, destination }: PaymentAttributes,
): PayoutQuestion | null {
  const family = catalog.tokenByKey(tokenKey)?.family;
  return family === undefined ? null : { tokenKey, chainId, family, fallback: destination };
}
