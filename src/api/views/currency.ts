import { z } from 'zod';
import { operatorOf } from '../../billing/operators.ts';
import type { Catalog, CatalogChain } from '../../chains/catalog.ts';
import type { Chains } from '../../chains/port.ts';
import { chainFamily } from '../../http/schemas.ts';
import type { Tenant } from '../../store/tenant.ts';

export const tokenSchema = z.strictObject({
  key: z.string().describe('The `tokenKey`: how offers, wallets and payments name it.'),
  ticker: z.string().describe('Such as `USDC`.'),
  decimals: z.int().describe('How many decimals its amounts may have.'),
  address: z.string().nullable().describe('The contract of the token; `null` on Solana.'),
  mint: z.string().nullable().describe('The mint of the token; `null` on EVM chains.'),
});

/** One chain of the catalog (reference, section 2), with additive fields: `playedBy`, `operator`, `enabled`. */
export const chainSchema = z.strictObject({
  chainId: z.int().describe('As the EVM numbers it; Solana 101, its devnet 103.'),
  family: chainFamily.describe('Decides which wallets can pay on it.'),
  label: z.string().describe('Its name.'),
  testnet: z.boolean().describe('Testnets can be used with test keys only.'),
  tokens: z.array(tokenSchema).describe('What can be charged on it.'),
  playedBy: z
    .int()
    .nullable()
    .describe(
      'With a test key: the chain that stands for this mainnet, on which hashes, allowances and `operator` are. `null` when it is itself.',
    ),
  operator: z
    .string()
    .nullable()
    .describe(
      "What this merchant's payers approve: the EVM spender or the Solana delegate; `null` where there is none yet.",
    ),
  enabled: z.boolean().describe('Whether charges are made on it. Offers may name its tokens all the same.'),
});

/**
 * A chain as a merchant's key sees it. `playedBy`: the sandbox chain that plays it; null: the chain itself. `operator` is the
 * address that this merchant's payers approve, and `enabled` is true if charges are made; both belong to the playing chain.
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
