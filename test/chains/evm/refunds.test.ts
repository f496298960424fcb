import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { Chain, RefundDraft } from '../../../src/chains/port.ts';
import { useEvm } from './bench.ts';
import { freshAddress } from './world.ts';

const { world, bench } = useEvm({ epoch: 12 });

/** The wallet sends what the chain has drafted for it. */
async function send(chain: Chain, refund: RefundDraft): Promise<string[]> {
  const { transactions } = await chain.refunds.draft(refund);
  for (const transaction of transactions) {
    if (transaction.family !== 'evm') throw new Error('not of an EVM chain');
    await world.act(transaction.from, transaction.to, transaction.data);
  }
  return transactions.map(({ purpose }) => purpose);
}

async function walletWith(amount: bigint): Promise<string> {
  const wallet = freshAddress();
  await world.mint(wallet, amount);
  return wallet;
}

describe('a refund on EVM', () => {
  it('goes from the wallet straight to the receiver, and is found by its key', async () => {
    const chain = bench.chain();
    const refund = bench.refundOf(await walletWith(1_000n));
    expect((await chain.refunds.draft(refund)).balance).toBe(1_000n);
    expect(await send(chain, refund)).toEqual(['approve', 'refund']);
    expect(await world.movedFrom(refund.from)).toMatchObject([{ to: refund.to, amount: 700n }]);
    expect(await world.allowance(refund.from, world.router)).toBe(0n);
    const { found } = await bench.readRefund(chain, refund);
    const { key, token, to: receiver, amount } = refund;
    expect(found).toMatchObject([{ key, token, receiver, amount, index: 0, isFinal: true }]);
    expect((await bench.readRefund(chain, bench.refundOf(refund.from))).found).toEqual([]);
  });

  it('takes an approval that is too small back first, and asks for none that is enough', async () => {
    const chain = bench.chain();
    const refund = bench.refundOf(await walletWith(10_000n));
    const approve = (amount: bigint) => world.callToken(refund.from, 'approve', [world.router, amount]);
    await approve(699n);
    expect(await send(chain, refund)).toEqual(['approve', 'approve', 'refund']);
    await approve(700n);
    expect(await send(chain, refund)).toEqual(['refund']);
    const { found } = await bench.readRefund(chain, refund);
    expect(found.map(({ amount }) => amount)).toEqual([700n, 700n]);
  });

  it('is not final before it has its confirmations, and is gone only once its block is replaced', async () => {
    const chain = bench.chain({ confirmations: 3 });
    const refund = bench.refundOf(await walletWith(1_000n));
    await send(chain, refund);
    const [made] = (await bench.readRefund(chain, refund)).found;
    if (made === undefined) throw new Error('no refund was found');
    expect(made.isFinal).toBe(false);
    await world.mine(2);
    expect((await bench.readRefund(chain, refund)).found).toMatchObject([{ isFinal: true }]);
    const otherBlock = { ...made, transaction: '0xnever' };
    expect((await bench.readRefund(chain, refund, { known: [otherBlock] })).gone).toEqual([]);
    await world.reorg(3);
    const after = await bench.readRefund(chain, refund, { known: [made] });
    expect([after.found, after.gone]).toEqual([[], [made]]);
  });

  it('is searched for in the blocks that a reorganization may put it into', async () => {
    await world.mine(40);
    expect(await bench.chain().refunds.searchStart()).toBeLessThanOrEqual((await world.height()) - 32);
  });

  it('counts on every router, and the log of another contract counts on none', async () => {
    const older = await world.deployRouter();
    const chain = bench.chain({ routers: [world.router, older] });
    const refund = bench.refundOf(await walletWith(2_000n));
    const values = [refund.key, refund.token, refund.to, refund.amount];
    const foreign = await world.deployRouter();
    for (const router of [older, foreign]) {
      await world.callToken(refund.from, 'approve', [router, refund.amount]);
      await world.act(refund.from, router, routerInterface.encodeFunctionData('refund', values));
    }
    expect((await bench.readRefund(chain, refund)).found).toHaveLength(1);
  });
});
