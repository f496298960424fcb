import { Keypair, type PublicKey } from '@solana/web3.js';
import { chainTiming } from '../../../src/chains/context.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { AllowanceComparison } from '../../../src/chains/solana/logs/watcher.ts';
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts';
import { AssociatedAccounts, type TokenInfo } from '../../../src/chains/solana/token-account.ts';
import type { WatchDoc } from '../../../src/store/collections.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { holdingData } from '../../../tools/simulate/solana/controls.ts';
import { watch } from '../../store/support/documents.ts';
import { TestListener } from '../support/bench.ts';
import { useSolana } from './bench.ts';

const { world, bench } = useSolana();

/** A lasting watch for this wallet, as a check has left it. */
function allowanceWatch(chain: Chain, wallet: PublicKey, allowance: bigint, ticker = 'USDC'): WatchDoc {
  const token = world.user.mint(ticker).toBase58();
  return watch({
    _id: `${chain.chainId}:mrc_a:test:${token}:${wallet.toBase58()}:standing`,
    chainId: chain.chainId,
    token,
    operator: chain.operatorFor('mrc_a', 'test'),
    wallet: wallet.toBase58(),
    allowance: allowance.toString(),
  });
}

async function storedAllowance(watch: WatchDoc): Promise<string | undefined> {
  return (await bench.records.get('watches', [watch._id]))[0]?.allowance;
}

async function untilStored(watch: WatchDoc, allowance: bigint): Promise<void> {
  await bench.until(`${allowance} is stored`, async () => (await storedAllowance(watch)) === allowance.toString());
}

describe('the allowances of live subscriptions', () => {
  it.each(['USDC', 'USDT'])('are reported whenever they differ, whatever the cause: %s', async (ticker) => {
    const chain = bench.chain();
    const operator = chain.operatorFor('mrc_a', 'test');
    const [payer, other] = [await world.user.newPayer(10n, ticker), await world.user.newPayer(10n, ticker)];
    await world.user.approve(payer, operator, 5n, ticker);
    await world.user.approve(other, operator, 5n, ticker);
    const watch = allowanceWatch(chain, payer.publicKey, 5n, ticker);
    await bench.records.insert('watches', [watch, allowanceWatch(chain, other.publicKey, 5n, ticker)]);
    await chain.start();
    const changes: [what: () => Promise<unknown>, allowance: bigint][] = [
      [() => world.user.revoke(payer, ticker), 0n],
      [() => world.user.approve(payer, operator, 7n, ticker), 7n],
      [() => world.user.approve(payer, Keypair.generate().publicKey.toBase58(), 9n, ticker), 0n],
      [() => world.user.approve(payer, operator, 8n, ticker), 8n],
    ];
    for (const [index, [change, allowance]] of changes.entries()) {
      await change();
      await untilStored(watch, allowance);
      expect(bench.listener.allowances).toHaveLength(index + 1);
    }
    const { merchantId, mode, chainId, token, wallet } = watch;
    for (const reported of bench.listener.allowances) {
      expect(reported).toMatchObject({ merchantId, mode, chainId, token, wallet, block: expect.any(Number) });
    }
    // No checkout page waits for these wallets.
    expect(bench.listener.wallets).toEqual([]);
  });

  it('are reported by the next process if they changed while none ran', async () => {
    const first = bench.chain();
    const payer = await world.user.newPayer(10n);
    await world.user.approve(payer, first.operatorFor('mrc_a', 'test'), 5n);
    const watch = allowanceWatch(first, payer.publicKey, 5n);
    await bench.records.insert('watches', [watch]);
    await first.start();
    await world.user.approve(payer, first.operatorFor('mrc_a', 'test'), 6n);
    await untilStored(watch, 6n);
    await first.stop();
    await world.user.revoke(payer);
    const reported = bench.listener.allowances.length;
    await bench.start();
    await untilStored(watch, 0n);
    expect(bench.listener.allowances).toHaveLength(reported + 1);
  });
});

describe('one comparison', () => {
  const MINT = Keypair.generate().publicKey.toBase58();
  const OPERATOR = Keypair.generate().publicKey.toBase58();
  const TOKEN: TokenInfo = { mint: MINT, program: TOKEN_PROGRAM, decimals: 6 };
  const TOKENS = new Map([[MINT, TOKEN]]);
  const associated = new AssociatedAccounts();

  /** Wallets with lasting watches, their current allowances, and the slot of the node's answer. */
  function play(count: number) {
    const node = { slot: 10, asked: 0, allowance: new Map<string, bigint>() };
    const watches = new Map<string, WatchDoc>();
    const owners = new Map<string, string>();
    for (let index = 0; index < count; index += 1) {
      const wallet = Keypair.generate().publicKey.toBase58();
      const fields = {
        partition: 0,
        merchantId: 'mrc_a',
        mode: 'test',
        chainId: 104,
        token: MINT,
        operator: OPERATOR,
        wallet,
      } as const;
      const _id = `${wallet}:standing`;
      watches.set(_id, { ...fields, _id, lookAt: null, looks: 0, createdAt: new Date(0), allowance: '5' });
      owners.set(associated.of(wallet, TOKEN), wallet);
    }
    const accountOf = (account: string) => {
      const owner = owners.get(account) ?? '';
      const allowed = node.allowance.get(owner) ?? 5n;
      const holding = { mint: MINT, owner, amount: 9n, delegate: OPERATOR, delegatedAmount: allowed } as const;
      const data = Buffer.from(holdingData(TOKEN_PROGRAM, { ...holding, state: 'initialized' }));
      return { owner: TOKEN_PROGRAM, lamports: 1n, executable: false, data };
    };
    const listener = new TestListener(() => {});
    const { records } = openMemoryStore();
    const comparison = new AllowanceComparison(
      {
        clock: () => new Date(),
        timing: chainTiming(400, { allowancesMs: 0 }),
        listener,
        records,
        associated,
        link: {
          accounts: async (addresses) => {
            node.asked += 1;
            const of = new Map(addresses.map((address) => [address, accountOf(address)]));
            return { slot: node.slot, of, unread: new Set() };
          },
        },
      },
      { all: () => [...watches.values()], replace: (watch) => void watches.set(watch._id, watch) },
    );
    return { node, comparison, wallets: [...owners.values()], reported: listener.allowances };
  }

  it('reports each difference once, however many there are', async () => {
    const { node, comparison, wallets, reported } = play(250);
    await comparison.compareIfDue(TOKENS);
    expect([node.asked, reported]).toEqual([1, []]);
    for (const wallet of wallets.slice(0, 2)) node.allowance.set(wallet, 4n);
    node.slot = 11;
    await comparison.compareIfDue(TOKENS);
    await comparison.compareIfDue(TOKENS);
    expect(reported.map(({ wallet, block }) => [wallet, block])).toEqual(
      wallets.slice(0, 2).map((wallet) => [wallet, 11]),
    );
  });
});
