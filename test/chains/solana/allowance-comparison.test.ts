import { Keypair, type PublicKey } from '@solana/web3.js';
import type { Chain } from '../../../src/chains/port.ts';
import type { WatchDoc } from '../../../src/store/collections.ts';
import { watch } from '../../store/support/documents.ts';
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

describe('the allowances of live subscriptions', () => {
  it.each(['USDC', 'USDT'])('are reported whenever they differ, whatever the cause: %s', async (ticker) => {
    const node = await bench.proxy();
    const chain = bench.chain({ rpcUrl: node.url, timing: { allowancesMs: 0 } });
    const operator = chain.operatorFor('mrc_a', 'test');
    const [payer, other] = [await world.user.newPayer(10n, ticker), await world.user.newPayer(10n, ticker)];
    await world.user.approve(payer, operator, 5n, ticker);
    await world.user.approve(other, operator, 5n, ticker);
    const watch = allowanceWatch(chain, payer.publicKey, 4n, ticker);
    // The newest is read again and again from the store; an older one is compared as the last comparison left it.
    const newest = { ...allowanceWatch(chain, other.publicKey, 5n, ticker), createdAt: new Date() };
    await bench.records.insert('watches', [watch, newest]);
    const changes: [what: () => Promise<unknown>, allowance: bigint][] = [
      // It has changed while no process ran.
      [() => chain.start(), 5n],
      [() => world.user.revoke(payer, ticker), 0n],
      [() => world.user.approve(payer, operator, 7n, ticker), 7n],
      [() => world.user.approve(payer, Keypair.generate().publicKey.toBase58(), 9n, ticker), 0n],
      [() => world.user.approve(payer, operator, 8n, ticker), 8n],
    ];
    for (const [index, [change, allowance]] of changes.entries()) {
      await change();
      await bench.until(`${allowance} is stored`, async () => {
        return (await bench.records.get('watches', [watch._id]))[0]?.allowance === allowance.toString();
      });
      expect(bench.listener.allowances).toHaveLength(index + 1);
    }
    const accounts = [payer, other].map(({ publicKey }) => world.user.accountOf(publicKey, ticker).toBase58());
    const comparisons = () => node.seen.filter(({ params }) => JSON.stringify(params).includes(accounts[0] ?? ''));
    const before = comparisons().length;
    await bench.until('they are compared again', () => comparisons().length > before + 2);
    expect(bench.listener.allowances).toHaveLength(changes.length);
    const { merchantId, mode, chainId, token, wallet } = watch;
    for (const reported of bench.listener.allowances) {
      expect(reported).toMatchObject({ merchantId, mode, chainId, token, wallet, block: expect.any(Number) });
    }
    // No checkout page waits for these wallets.
    expect(bench.listener.wallets).toEqual([]);
    // One request reads all of them.
    for (const { params } of comparisons()) expect(params[0]).toEqual(expect.arrayContaining(accounts));
  });
});
