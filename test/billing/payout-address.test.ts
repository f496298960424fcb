import { chainOf, requirePayoutAddress } from '../../src/billing/payout/payout-address.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { Mode } from '../../src/store/documents.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';

const catalog = buildCatalog();
const token = catalog.tokenByKey('usdc-solana');
const WALLET = 'So11111111111111111111111111111111111111112';

/** Chains on which nobody has an account for a token. */
const chains = createChains(
  catalog.chains.map(({ chainId, family }) => ({
    ...scriptedChain(),
    chainId,
    family,
    whyUnsuitable: async (_address: string, _role: string, tokens: readonly string[] = []) => {
      return tokens.length === 0 ? null : `a wallet without an account for ${tokens}`;
    },
  })),
);

async function asked(mode: Mode): Promise<string> {
  if (!token) throw new Error('the catalog has it');
  return requirePayoutAddress({ catalog, chains }, { merchantId: 'mrc_a', mode }, chainOf(token), WALLET, 'toWallet');
}

it('a wallet without an account for the token is refused in live mode, where an account costs something', async () => {
  await expect(asked('live')).rejects.toThrow(`toWallet must not be a wallet without an account for ${token?.address}`);
  expect(await asked('test')).toBe(WALLET);
});
