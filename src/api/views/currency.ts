import { z } from 'zod';
import { operatorOf } from '../../billing/payout/payout-address.ts';
import type { Catalog, CatalogChain } from '../../chains/catalog.ts';
import { DOLLAR_TICKERS } from '../../chains/catalog-rows.ts';
import type { Chains } from '../../chains/port.ts';
import { chainFamily } from '../../http/schemas.ts';
import { pick } from '../../model/pick.ts';
import type { Tenant } from '../../store/documents.ts';

export const tokenSchema = z.strictObject({
  key: z.string().describe('The `tokenKey` by which offers, wallets and payments name it.'),
  ticker: z.string().describe('The ticker, such as `USDC`.'),
  decimals: z.int().describe('The number of decimal places of its amounts.'),
  address: z.string().nullable().describe('The contract of the token; `null` on Solana.'),
  mint: z.string().nullable().describe('The mint of the token; `null` on EVM chains.'),
  currency: z
    .enum(['USD'])
    .nullable()
    .describe(
      'One token counts as one unit of this currency, without an exchange rate. `null`: the token has no such currency.',
    ),
});

/** One chain of the catalog (reference, section 2), with additive fields: `playedBy`, `operator`, `enabled`. */
export const chainSchema = z.strictObject({
  chainId: z.int().describe('The EVM chain id; Solana has 101, its devnet 103.'),
  family: chainFamily.describe('The kind of wallet that can pay on it.'),
  label: z.string().describe('Its name.'),
  testnet: z.boolean().describe('Testnets can be used with test keys only.'),
  tokens: z.array(tokenSchema).describe('The tokens that can be charged on it.'),
  playedBy: z
    .int()
    .nullable()
    .describe(
      'With a test key: the chain on which charges for this mainnet happen, with their hashes, allowances and `operator`. `null`: the chain itself.',
    ),
  operator: z
    .string()
    .nullable()
    .describe(
      "The address that this merchant's payers approve: the EVM spender or the Solana delegate; `null`: none yet. An approval is consent to whatever this merchant charges, up to its amount. Payers who sign at the checkout approve another address, which charges only what they sign.",
    ),
  enabled: z.boolean().describe('`true` if charges are possible on it. Offers may name its tokens in any case.'),
});

/**
 * A chain as a merchant's key sees it. `playedBy`: the sandbox chain that plays it; null: the chain itself. `operator`
 * is the address that this merchant's payers approve, and `enabled` is true if charges are made; both belong to the
 * playing chain.
 */
export function chainView(
  chain: CatalogChain,
  known: { readonly catalog: Catalog; readonly chains: Chains },
  tenant: Tenant,
): z.output<typeof chainSchema> {
  const playing = known.catalog.playedBy(chain.chainId, tenant.mode);
  return {
    ...pick(chain, 'chainId', 'family', 'label', 'testnet'),
    tokens: chain.tokens.map(({ key, ticker, decimals, family, address }) => ({
      key,
      ticker,
      decimals,
      address: family === 'evm' ? address : null,
      mint: family === 'solana' ? address : null,
      currency: DOLLAR_TICKERS.has(ticker) ? ('USD' as const) : null,
    })),
    playedBy: playing === chain.chainId ? null : playing,
    operator: playing === null ? null : operatorOf(known.chains, playing, tenant),
    enabled: playing !== null && known.chains.get(playing)?.enabled === true,
  };
}
