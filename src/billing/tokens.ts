import type { Catalog, CatalogToken } from '../chains/catalog.ts';
import { invalid } from '../errors/fault.ts';
import type { Mode } from '../store/documents.ts';

/**
 * A token that a key of this environment may use. Throws 400 naming `field`: an unknown key, and with a live key a
 * testnet token (docs/rules.md, "Environments, chains, tokens"). Whether its chain is enabled is not asked here.
 */
export function requireToken(catalog: Catalog, mode: Mode, tokenKey: string, field: string): CatalogToken {
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) throw invalid(`${field} is not a known token: ${JSON.stringify(tokenKey)}`);
  if (mode === 'live' && catalog.chain(token.chainId)?.testnet !== false) {
    throw invalid(`${field} is a testnet token, which a live key cannot use: ${JSON.stringify(tokenKey)}`);
  }
  return token;
}
