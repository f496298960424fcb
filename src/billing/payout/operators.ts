import type { Chains } from '../../chains/port.ts';
import type { Tenant } from '../../store/documents.ts';

/** All operators of this merchant on a chain, of every router: they only pass money on. */
export function operatorsOf(chains: Chains, chainId: number, { merchantId, mode }: Tenant): string[] {
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
