import type { Chains } from '../chains/port.ts';
import type { Tenant } from '../store/tenant.ts';

/**
 * The address that this merchant's payers approve on a chain (EVM spender, Solana delegate); null if the chain is not
 * enabled, because a chain without a router or seed has no operators yet.
 */
export function operatorOf(chains: Chains, chainId: number, { merchantId, mode }: Tenant): string | null {
  const chain = chains.get(chainId);
  return chain?.enabled === true ? chain.operatorFor(merchantId, mode) : null;
}
