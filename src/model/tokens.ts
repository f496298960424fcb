import type { Catalog, CatalogToken } from '../chains/catalog.ts';
import { invalid } from '../errors/fault.ts';
import type { Mode } from '../store/documents.ts';

/**
 * Returns a token that a key of this environment may use. Throws 400 naming `field` for an unknown key, and for a
 * testnet token with a live key (docs/rules.md, "Environments, chains, tokens"). Does not check whether its chain is
 * enabled.
 */
export function requireToken(catalog: Catalog, mode: Mode, tokenKey: string, field: string): CatalogToken {
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) throw invalid(`${field} is not a known token: ${JSON.stringify(tokenKey)}`);
  if (mode === 'live' && catalog.chain(token.chainId)?.testnet !== false) {
    throw invalid(`${field} is a testnet token, which a live key cannot use: ${JSON.stringify(tokenKey)}`);
  }
  return token;
}
