import type { Catalog } from '../chains/catalog.ts';

/** "USDC on Base", as the pages name a token; for a key that is not in the catalog the key. */
export function tokenText(catalog: Catalog, tokenKey: string): string {
  const token = catalog.tokenByKey(tokenKey);
  return token === undefined ? tokenKey : `${token.ticker} on ${catalog.chain(token.chainId)?.label}`;
}
