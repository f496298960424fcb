import { prepareEvmWorld } from '../../devnet/evm-world.ts';
import { localEvmTokens } from '../../src/chains/catalog.ts';
import { type Claim, expectBooks } from '../../stage/books.ts';
import { Expectations } from '../../stage/expectations.ts';
import { LocalChain } from '../../stage/local-chain.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { startTestDevnet } from '../support/devnet.ts';

const LOCAL_CHAIN_ID = 31_337;
const TOKEN_KEYS: Readonly<Record<string, string>> = { 'USDC-6': 'usdc-local-evm' };

const { rpcUrl } = await startTestDevnet({ mongo: false, evm: true });
const { router, wallets, tokens } = await prepareEvmWorld({ rpcUrl, tokens: localEvmTokens() });
const named = tokens.map((token) => ({ ...token, tokenKey: TOKEN_KEYS[`${token.ticker}-${token.decimals}`] ?? '' }));
const chain = new LocalChain({ rpcUrl, chainId: LOCAL_CHAIN_ID, router, tokens: named, wallets: [...wallets] });

afterAll(() => chain.close());

/** A new payer with 20.00 pays 9.90 to a new merchant. The books are compared with what the service says about it. */
async function paid(claims: (claim: Claim) => readonly Claim[]) {
  const [payer, merchant] = [await chain.newWallet('20.00'), await chain.newWallet()];
  const pullTxHash = await chain.transfer(payer, merchant.address, '9.90');
  const [fromWallet, toWallet] = [payer.address, merchant.address];
  const claim = {
    tokenKey: TOKEN_KEY,
    pullTxHash,
    fromWallet,
    toWallet,
    amount: '9.90',
    merchantAmount: '9.90',
    platformAmount: '0.00',
  };
  const payers = [{ name: 'Ada', address: payer.address }];
  const account = { payers, payoutWallet: merchant.address, operator: chain.router };
  const expect = new Expectations();
  const payments = async () => claims(claim);
  return {
    rows: expectBooks({ chain, expect, merchants: [{ ...account, payments, refunds: async () => [] }] }),
    expect,
  };
}

describe('the books', () => {
  it('are equal if the service reports the movements', async () => {
    const { rows, expect: expectations } = await paid((claim) => [claim]);
    expect((await rows).map(({ name, before, moved, claimed }) => [name, before, moved, claimed])).toEqual([
      ['Ada', 20_000_000n, -9_900_000n, -9_900_000n],
      ['merchant', 0n, 9_900_000n, 9_900_000n],
      ['platform', 0n, 0n, 0n],
      ['operator', 0n, 0n, 0n],
      ['router', 0n, 0n, 0n],
    ]);
    expect(expectations.held).toBeGreaterThan(5);
  });

  it('show a movement without a payment', async () => {
    const { rows } = await paid(() => []);
    await expect(rows).rejects.toThrow('Ada: chain and service agree about the moved amount');
  });

  it('show a payment without a movement', async () => {
    const { rows } = await paid((claim) => [claim, { ...claim, pullTxHash: null }]);
    await expect(rows).rejects.toThrow('Chain and service agree about every payment');
  });

  it('show a payment that names the transaction of another one', async () => {
    const { rows } = await paid((claim) => [{ ...claim, pullTxHash: `0x${'1'.repeat(64)}` }]);
    await expect(rows).rejects.toThrow('Chain and service agree about every payment');
  });

  it('show one base unit', async () => {
    const { rows } = await paid((claim) => [{ ...claim, amount: '9.900001', merchantAmount: '9.900001' }]);
    await expect(rows).rejects.toThrow('Chain and service agree about every payment');
  });
});
