import { tokenName } from '../../machines/rules/token-name.ts';
import type { Catalog } from '../chains/catalog.ts';

/** "USDC on Base", as the pages name a token; for a key that is not in the catalog the key. */
export function tokenText(catalog: Catalog, tokenKey: string): string {
  const token = catalog.tokenByKey(tokenKey);
  const chain = token && catalog.chain(token.chainId);
  return token === undefined || chain === undefined ? tokenKey : `${tokenName(chain.tokens, token)} on ${chain.label}`;
}
