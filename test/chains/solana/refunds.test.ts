import { PublicKey } from '@solana/web3.js';
import type { Chain, RefundDraft } from '../../../src/chains/port.ts';
import { refundReference } from '../../../src/chains/solana/refunds.ts';
import { useSolana } from './bench.ts';

const { world, bench } = useSolana();

/** The wallet signs and sends what the chain has drafted for it. Resolves with the signature. */
async function send(chain: Chain, refund: RefundDraft): Promise<string> {
  const { transactions } = await chain.refunds.draft(refund);
  const [drafted] = transactions;
  if (drafted?.family !== 'solana') throw new Error('not of a Solana chain');
  return world.user.sendDrafted(drafted.transaction, world.keyOf(refund.from));
}

describe('a refund on Solana', () => {
  it('opens the account of its receiver, and is found by its reference', async () => {
    const chain = bench.chain();
    const refund = bench.refundOf(await world.payer('mrc_a', { balance: 1_000n, allowance: 0n }));
    expect((await chain.refunds.draft(refund)).balance).toBe(1_000n);
    const signature = await send(chain, refund);
    expect([await world.balanceOf(refund.from), await world.balanceOf(refund.to)]).toEqual([300n, 700n]);
    const { key, token, to: receiver, amount } = refund;
    expect((await bench.readRefund(chain, refund)).found).toMatchObject([
      { key, token, receiver, amount, transaction: signature, index: 0, isFinal: true },
    ]);
    const memo = await world.user.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(memo?.meta?.logMessages?.join('\n')).toContain('tideline:refund:pay_1:ref_1');
  });

  it('is none if the transfer goes to somebody else, or only names the reference beside it', async () => {
    const chain = bench.chain();
    const refund = bench.refundOf(await world.payer('mrc_a', { balance: 10_000n, allowance: 0n }));
    await send(chain, { ...refund, to: world.stranger() });
    expect((await bench.readRefund(chain, refund)).found).toEqual([]);
    const owner = world.keyOf(refund.from);
    const reference = new PublicKey(refundReference(refund.key));
    await world.user.transfer(owner, new PublicKey(refund.to), refund.amount);
    await world.user.sendLamports(owner, reference, 1_000_000);
    expect((await bench.readRefund(chain, refund)).found).toEqual([]);
  });

  it('is gone only while its slot can still be removed and the node does not list it', async () => {
    const chain = bench.chain();
    const refund = bench.refundOf(await world.payer('mrc_a', { balance: 1_000n, allowance: 0n }));
    await send(chain, refund);
    const { found, finalized } = await bench.readRefund(chain, refund);
    const [made] = found;
    if (made === undefined) throw new Error('no refund was found');
    expect((await bench.readRefund(chain, refund, { known: [made] })).gone).toEqual([]);
    const old = { ...made, transaction: 'forgotten', block: { number: finalized, hash: '' } };
    expect((await bench.readRefund(chain, refund, { known: [old] })).gone).toEqual([]);
    const never = { ...made, transaction: 'never' };
    expect((await bench.readRefund(chain, refund, { known: [never] })).gone).toEqual([never]);
  });
});
