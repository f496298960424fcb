import { type Catalog, type CatalogToken, unitsOfCents } from '../chains/catalog.ts';
import { invalid } from '../errors/fault.ts';
import type { Mode } from '../store/documents.ts';
import { formatAmount } from './amounts.ts';

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

/**
 * Throws 400 naming `field` for fewer base units than the chain's least amount, which only mainnets have
 * (docs/rules.md, "Limits"). For what merchants ask for: a charge that a payer has signed is never checked.
 */
export function requireMinimum(catalog: Catalog, mode: Mode, token: CatalogToken, units: bigint, field: string): void {
  const minimum = minimumOf(catalog, mode, token);
  if (units >= minimum) return;
  const least = `${formatAmount(minimum, token.decimals)} ${token.ticker}`;
  throw invalid(`${field} must be at least ${least}, the least amount on ${chainOf(catalog, mode, token)?.label}`);
}

/** The least amount of the token's chain, in base units. */
export function minimumOf(catalog: Catalog, mode: Mode, token: CatalogToken): bigint {
  return unitsOfCents(chainOf(catalog, mode, token)?.minimumCents ?? 0n, token.decimals);
}

/** The least of a payment, in base units: a dollar, which each token of the catalog is, or its chain's least amount. */
export function leastPriceOf(catalog: Catalog, mode: Mode, token: CatalogToken): bigint {
  const dollar = unitsOfCents(100n, token.decimals);
  if (minimumOf(catalog, mode, token) < dollar) return dollar;
  return minimumOf(catalog, mode, token);
}

function chainOf(catalog: Catalog, mode: Mode, { chainId }: CatalogToken) {
  return catalog.chain(catalog.playedBy(chainId, mode) ?? chainId);
}
