import type { CatalogChain, CatalogToken, Play } from '../../chains/catalog.ts';
import type { Consent } from '../../chains/consent.ts';
import type { Chain } from '../../chains/port.ts';
import { invalid } from '../../errors/fault.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';

export type TokenOnChainDeps = Pick<BillingDeps, 'catalog' | 'chains'>;

/** The requested token, and the chain, token and operator that play it. */
export interface TokenOnChain {
  readonly requested: CatalogToken;
  readonly play: Play;
  /** The playing chain: its entry in the catalog, and its client. */
  readonly playing: CatalogChain;
  readonly chain: Chain;
  readonly operator: string;
  /** The consent for which that operator stands. */
  readonly consent: Consent;
}

/**
 * null: no enabled chain of this installation plays the token, so it cannot be approved. `given`: what the payer has
 * consented to; absent: it is to sign a mandate.
 */
export function findTokenOnChain(
  { catalog, chains }: TokenOnChainDeps,
  tenant: Tenant,
  tokenKey: string,
  given?: Consent,
): TokenOnChain | null {
  const requested = catalog.tokenByKey(tokenKey);
  const answer = catalog.play(tokenKey, tenant.mode);
  if (requested === undefined || !answer.ok) return null;
  const playing = catalog.chain(answer.play.chainId);
  const chain = chains.get(answer.play.chainId);
  if (playing === undefined || !chain?.enabled) return null;
  const consent = given ?? { isBounded: true, router: chain.router };
  const operator = chain.operatorFor(tenant.merchantId, tenant.mode, consent);
  return { requested, play: answer.play, playing, chain, operator, consent };
}

/** As `findTokenOnChain`, but throws 400 instead of returning null. */
export function requireTokenOnChain(
  deps: TokenOnChainDeps,
  tenant: Tenant,
  tokenKey: string,
  given?: Consent,
): TokenOnChain {
  const token = findTokenOnChain(deps, tenant, tokenKey, given);
  if (token === null) throw invalid(`tokenKey is on a chain that is not enabled: "${tokenKey}"`);
  return token;
}
