import type { Catalog, CatalogToken } from '../../chains/catalog.ts';
import type { Chains } from '../../chains/port.ts';
import { invalid } from '../../fault.ts';
import type { Tenant } from '../../store/tenant.ts';
import { isSameAddress, requireAddress } from '../addresses.ts';
import { operatorOf } from '../operators.ts';

export interface PayoutAddressDeps {
  readonly catalog: Catalog;
  readonly chains: Chains;
}

/**
 * An address to which money of a token may be sent, in the spelling to be stored. Throws 400 naming `field` for what
 * does not suit the chain, the zero address, the token itself, and the merchant's own operator (docs/rules.md, "Wallets",
 * "Payments").
 */
export function requirePayoutAddress(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  token: CatalogToken,
  text: string,
  field: string,
): string {
  const { family } = token;
  const address = requireAddress(family, text, field);
  const { tokens, operators } = forbidden(deps, tenant, token);
  if (tokens.some((other) => isSameAddress(family, other, address))) {
    throw invalid(`${field} must not be the address of the token itself`);
  }
  if (operators.some((other) => isSameAddress(family, other, address))) {
    throw invalid(`${field} must not be the operator, which only passes money on`);
  }
  return address;
}

/** The token and the operator as asked for, and as they are on the chain that plays this one. */
function forbidden({ catalog, chains }: PayoutAddressDeps, tenant: Tenant, token: CatalogToken) {
  const answer = catalog.play(token.key, tenant.mode);
  const playing = answer.ok ? [answer.play] : [];
  const chainIds = new Set([token.chainId, ...playing.map((play) => play.chainId)]);
  return {
    tokens: [token.address, ...playing.map((play) => play.token)],
    operators: [...chainIds].flatMap((id) => operatorOf(chains, id, tenant) ?? []),
  };
}
