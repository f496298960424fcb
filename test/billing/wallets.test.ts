import { payoutsFrom, registerWallet, type WalletsDeps } from '../../src/billing/payout/wallets.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { PayoutQuestion, PayoutsOf } from '../../src/model/payout.ts';
import type { Tenant } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { localChain, scriptedCatalog } from '../../stage/scripted-chain.ts';
import { ALICE, BOB, CAROL, SOL_ALICE } from '../support/bodies.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;

let now: Date;
let deps: WalletsDeps;
let payoutsOf: PayoutsOf;
beforeEach(() => {
  now = new Date('2030-01-15T10:00:00Z');
  const store = openMemoryStore();
  payoutsOf = payoutsFrom(store);
  deps = {
    store,
    clock: () => now,
    onCommitted: () => {},
    catalog: scriptedCatalog(),
    chains: createChains([localChain()]),
  };
});

async function register(tokenKey: string, receiverWallet: string): Promise<void> {
  now = new Date(now.getTime() + 1000);
  await registerWallet(deps, TENANT, { tokenKey, receiverWallet });
}

const onBnb = { tokenKey: 'usdc-bnb', chainId: 56, family: 'evm', fallback: null } as const;

async function destination(tenant: Tenant, question: PayoutQuestion): Promise<string | null> {
  return (await payoutsOf([tenant])).destination(tenant, question);
}

describe('the payout destination', () => {
  it('is first the registered wallet of the token', async () => {
    await register('usdt-bnb', ALICE);
    await register('usdc-bnb', BOB);
    const fallback = { evm: CAROL, solana: null };
    expect(await destination(TENANT, { ...onBnb, fallback })).toBe(BOB);
  });

  it("is next the option's own destination of the family", async () => {
    await register('usdt-bnb', ALICE);
    const fallback = { evm: CAROL, solana: SOL_ALICE };
    expect(await destination(TENANT, { ...onBnb, fallback })).toBe(CAROL);
    const solana = { tokenKey: 'usdc-solana', chainId: 101, family: 'solana', fallback } as const;
    expect(await destination(TENANT, solana)).toBe(SOL_ALICE);
  });

  it('is next the address registered longest; a replaced one counts from its replacement', async () => {
    await register('usdc-bnb', ALICE);
    await register('usdt-bnb', BOB);
    await register('usdc-bnb', CAROL);
    const third = { ...onBnb, tokenKey: 'usdx-bnb' };
    expect(await destination(TENANT, third)).toBe(BOB);
    await register('usdc-bnb', CAROL);
    await register('usdt-bnb', ALICE);
    expect(await destination(TENANT, third)).toBe(CAROL);
  });

  it('is next the longest-registered wallet for another token of the same chain', async () => {
    await register('usdc-base', CAROL);
    await register('usdt-bnb', ALICE);
    const fallback = { evm: null, solana: SOL_ALICE };
    expect(await destination(TENANT, { ...onBnb, fallback })).toBe(ALICE);
    await register('usdt-ethereum', BOB);
    await register('usdc-ethereum', CAROL);
    const third = { ...onBnb, tokenKey: 'dai-ethereum', chainId: 1 };
    expect(await destination(TENANT, third)).toBe(BOB);
  });

  it('is otherwise missing, so that nothing is charged', async () => {
    await register('usdc-base', CAROL);
    expect(await destination(TENANT, onBnb)).toBeNull();
    expect(await destination({ ...TENANT, mode: 'live' }, { ...onBnb, tokenKey: 'usdc-base' })).toBeNull();
  });

  it('belongs to each of many merchants, in either mode', async () => {
    const other = { merchantId: 'mrc_2', mode: 'test' } as const;
    const live = { merchantId: 'mrc_1', mode: 'live' } as const;
    await register('usdc-bnb', ALICE);
    await registerWallet(deps, other, { tokenKey: 'usdc-bnb', receiverWallet: BOB });
    await registerWallet(deps, live, { tokenKey: 'usdc-bnb', receiverWallet: CAROL });
    const payouts = await payoutsOf([TENANT, other, live]);
    expect([TENANT, other, live].map((tenant) => payouts.destination(tenant, onBnb))).toEqual([ALICE, BOB, CAROL]);
    expect(payouts.destination({ merchantId: 'mrc_3', mode: 'test' }, onBnb)).toBeNull();
  });
});
