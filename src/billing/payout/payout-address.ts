import type { Catalog, CatalogToken } from '../../chains/catalog.ts';
import type { AddressRole, Chains } from '../../chains/port.ts';
import { invalid } from '../../errors/fault.ts';
import { isSameAddress, requireAddress } from '../../model/addresses.ts';
import type { ChainFamily } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';

export type PayoutAddressDeps = Pick<BillingDeps, 'catalog' | 'chains'>;

/** The chains of one family on which an address is paid: that of a token, or all of the family. */
export interface PaidOn {
  readonly family: ChainFamily;
  readonly chainIds: readonly number[];
  /** The addresses of the tokens that are paid there, if they are known. */
  readonly tokens: readonly string[];
}

export function chainOf(token: Pick<CatalogToken, 'family' | 'chainId' | 'address'>): PaidOn {
  return { family: token.family, chainIds: [token.chainId], tokens: [token.address] };
}

export function chainsOf({ chains }: Catalog, family: ChainFamily): PaidOn {
  const chainIds = chains.filter((chain) => chain.family === family).map(({ chainId }) => chainId);
  return { family, chainIds, tokens: [] };
}

/**
 * Returns an address to which money may be sent, in its stored spelling. Throws 400 naming `field` and the reason for
 * an address that does not suit the family, the zero address, a token of the catalog, the merchant's own operator, and
 * an address that the chain knows to be no wallet, or on Solana in live mode to lack an account for the token
 * (docs/rules.md, "Wallets", "Payments"). A chain that does not answer refuses nothing: a charge to such an address
 * then shows as undeliverable. `role`: a payer's wallet must be able to sign (docs/rules.md, "Customers").
 */
export async function requirePayoutAddress(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  paidOn: PaidOn,
  text: string,
  field: string,
  role: AddressRole = 'payee',
): Promise<string> {
  const { family } = paidOn;
  const address = requireAddress(family, text, field);
  const isOneOf = (others: readonly string[]) => others.some((other) => isSameAddress(family, other, address));
  const playing = paidOn.chainIds.flatMap((id) => deps.catalog.playedBy(id, tenant.mode) ?? []);
  const chainIds = new Set([...paidOn.chainIds, ...playing]);
  if (isOneOf(tokensOf(deps.catalog, family))) throw invalid(`${field} must not be the address of a token`);
  if (isOneOf([...chainIds].flatMap((id) => operatorsOf(deps.chains, id, tenant)))) {
    throw invalid(`${field} must not be the operator, which only passes money on`);
  }
  const tokens = role === 'payee' && tenant.mode === 'live' ? paidOn.tokens : [];
  for (const chainId of new Set(playing)) {
    const why = await deps.chains
      .get(chainId)
      ?.whyUnsuitable(address, role, tokens)
      .catch(() => null);
    if (why) throw invalid(`${field} must not be ${why}`);
  }
  return address;
}

/** Every token of the family in the catalog: money sent to a token's own address is lost. */
function tokensOf({ chains }: Catalog, family: ChainFamily): string[] {
  return chains
    .filter((chain) => chain.family === family)
    .flatMap(({ tokens }) => tokens.map(({ address }) => address));
}

/** All operators of this merchant on a chain, of every router: they only pass money on. */
function operatorsOf(chains: Chains, chainId: number, { merchantId, mode }: Tenant): string[] {
  const chain = chains.get(chainId);
  if (!chain?.enabled) return [];
  const routers = chain.routers.length === 0 ? [null] : chain.routers;
  return routers.flatMap((router) =>
    [false, true].map((isBounded) => chain.operatorFor(merchantId, mode, { isBounded, router })),
  );
}

/**
 * The address that this merchant's payers approve on a chain (EVM spender, Solana delegate); null if the chain is not
 * enabled, because a chain without a router or seed has no operators yet.
 */
export function operatorOf(chains: Chains, chainId: number, { merchantId, mode }: Tenant): string | null {
  const chain = chains.get(chainId);
  return chain?.enabled === true ? chain.operatorFor(merchantId, mode) : null;
}
