import { z } from 'zod';
import { operatorOf } from '../../billing/operators.ts';
import type { Catalog, CatalogChain } from '../../chains/catalog.ts';
import type { Chains } from '../../chains/port.ts';
import type { Tenant } from '../../store/tenant.ts';

/** One chain of the catalog (reference, section 2), with what is additive: `playedBy`, `operator`, `enabled`. */
export const chainSchema = z.strictObject({
  chainId: z.int(),
  family: z.enum(['evm', 'solana']),
  label: z.string(),
  testnet: z.boolean(),
  tokens: z.array(
    z.strictObject({
      key: z.string(),
      ticker: z.string(),
      decimals: z.int(),
      address: z.string().nullable(),
      mint: z.string().nullable(),
    }),
  ),
  playedBy: z.int().nullable(),
  operator: z.string().nullable(),
  enabled: z.boolean(),
});

/**
 * A chain as a merchant's key sees it. `playedBy`: the sandbox chain that plays it, null where it is itself. `operator`
 * is what this merchant's payers approve, and `enabled` whether charges are made: both of the chain that plays.
 */
export function chainView(
  chain: CatalogChain,
  known: { readonly catalog: Catalog; readonly chains: Chains },
  tenant: Tenant,
): z.output<typeof chainSchema> {
  const playing = known.catalog.playedBy(chain.chainId, tenant.mode);
  return {
    chainId: chain.chainId,
    family: chain.family,
    label: chain.label,
    testnet: chain.testnet,
    tokens: chain.tokens.map(({ key, ticker, decimals, family, address }) => ({
      key,
      ticker,
      decimals,
      address: family === 'evm' ? address : null,
      mint: family === 'solana' ? address : null,
    })),
    playedBy: playing === chain.chainId ? null : playing,
    operator: playing === null ? null : operatorOf(known.chains, playing, tenant),
    enabled: playing !== null && known.chains.get(playing)?.enabled === true,
  };
}
