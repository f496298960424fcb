import { keccak256, Transaction, Wallet } from 'ethers';
import { z } from 'zod';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import type { ChainTiming } from '../../../src/chains/timing.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { startWorld, UNLIMITED, type World, waitingCharge } from './world.ts';

/** Finalized blocks are this many blocks behind: deeper than any reorganisation here. */
const EPOCH = 12;
const FINALITY = 2 * EPOCH + 1;

const FAST: Partial<ChainTiming> = {
  askFirstMs: 10,
  askMaxMs: 30,
  finalizedFirstMs: 20,
  finalizedMaxMs: 40,
  reconcileIdleMs: 30,
};

const DEPTHS = [1, 2, 3, 5, 6, 7, 12, 20];
const CONFIRMATIONS = [1, 6];

let world: World;
let bench: Bench;
/** Wallets that approved the merchant so long ago that no reorganisation undoes it. */
const payers: string[] = [];

beforeAll(async () => {
  world = await startWorld({ epoch: EPOCH });
  const count = 4 * DEPTHS.length * CONFIRMATIONS.length + 4;
  for (let made = 0; made < count; made += 1) payers.push(await world.payer('mrc_a'));
  await world.mine(FINALITY);
});
afterEach(() => bench?.stop());
afterAll(() => world?.stop());

interface Case {
  readonly charge: ChargeDoc;
  readonly from: string;
}

/** A charge in the `depth`th block from the end, reported as far as that. */
async function charged(depth: number, confirmations: number): Promise<Case> {
  bench = new Bench(world);
  await bench.chain({ confirmations, timing: FAST }).start();
  const from = payers.pop() ?? '';
  const charge = waitingCharge(world, { from });
  await bench.charge(charge);
  await bench.untilPending(charge);
  await world.mine();
  await bench.untilState([charge], confirmations === 1 ? 'final' : 'mined');
  await world.mine(depth - 1);
  if (depth >= confirmations) await bench.untilState([charge], 'final');
  return { charge, from };
}

async function transactionOf(charge: ChargeDoc): Promise<TransactionDoc> {
  const { transactionId } = await bench.read(charge);
  const [transaction] = await bench.records.get('transactions', [transactionId ?? '']);
  if (!transaction) throw new Error(`charge ${charge._id} is in no transaction`);
  return transaction;
}

/** Replaces the last blocks by empty ones; the first of them contains `rival`. */
async function reorg(depth: number, rival: string | object | null = null): Promise<void> {
  await world.anvil.provider.send('anvil_reorg', [depth, rival === null ? [] : [[rival, 0]]]);
}

/** The end of its allowance, which a payer can send before a charge lands again. */
function revocation(from: string): object {
  const data = testTokenInterface.encodeFunctionData('approve', [operatorAddress(world.router, 'mrc_a', 'test'), 0n]);
  return { from, to: world.usdc, data };
}

/** Another transaction of the sender with the same nonce. */
function rivalOf({ nonce, sender }: TransactionDoc): Promise<string> {
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
  return senderWallet(sender).signTransaction({
    type: 2,
    chainId: world.chainId,
    nonce,
    to: sender,
    gasLimit: 21_000n,
    ...fees,
  });
}

/** Another version of the transaction, with a higher fee. It makes the same charges. */
function repriced({ sender, versions }: TransactionDoc): Promise<string> {
  const { type, chainId, nonce, to, gasLimit, data, maxFeePerGas } = Transaction.from(versions.at(-1)?.raw);
  const fees = { maxFeePerGas: 2n * (maxFeePerGas ?? 0n), maxPriorityFeePerGas: 10n ** 9n };
  return senderWallet(sender).signTransaction({ type, chainId, nonce, to, gasLimit, data, ...fees });
}

function senderWallet(sender: string): Wallet {
  return new Wallet(world.senderKeys.find((key) => new Wallet(key).address === sender) ?? '');
}

/** The transaction may land in a block that proves the earlier one dead, and be deep enough at once. */
async function untilOutAgain(charge: ChargeDoc): Promise<void> {
  await bench.until('its next transaction is in the pool or in a block', async () => {
    const { state } = await bench.read(charge);
    return state === 'mined' || state === 'final' || (state === 'sent' && (await bench.isPending(charge)));
  });
}

async function untilDisplaced({ _id }: TransactionDoc): Promise<void> {
  await bench.until('it is seen that another has its nonce', async () => {
    const [transaction] = await bench.records.get('transactions', [_id]);
    return Boolean(transaction?.displaced);
  });
}

async function untilClosed(id: string): Promise<void> {
  await bench.until('the transaction is finalized or expired', async () => {
    const [transaction] = await bench.records.get('transactions', [id]);
    return transaction?.state === 'finalized' || transaction?.state === 'expired';
  });
}

/** The amount pulled by the chain's own logs. */
async function pulled(from: string): Promise<number> {
  return (await world.transfers()).filter((transfer) => transfer.from === from).length;
}

function onlyOnce(charge: ChargeDoc, kind: string): boolean {
  return bench.listener.kinds(charge).filter((each) => each === kind).length === 1;
}

describe.each(CONFIRMATIONS)('with %i confirmations, a charge that is reorged out', (confirmations) => {
  it.each(DEPTHS)('%i deep and lands again is reported again only if it was not final', async (depth) => {
    const { charge, from } = await charged(depth, confirmations);
    const before = await bench.read(charge);
    const { versions } = await transactionOf(charge);
    await reorg(depth);
    await bench.untilPending(charge);
    await world.mine(FINALITY + confirmations);
    await untilClosed((await transactionOf(charge))._id);
    const after = await bench.read(charge);
    expect(after).toMatchObject({ state: 'final', txHash: before.txHash });
    expect(after.block?.hash).not.toBe(before.block?.hash);
    expect((await transactionOf(charge)).versions).toEqual(versions);
    const again = depth >= confirmations ? ['mined', 'final', 'finalized'] : ['mined', 'mined', 'final', 'finalized'];
    expect(bench.listener.kinds(charge)).toEqual(again);
    expect(await pulled(from)).toBe(1);
  });

  it.each(DEPTHS)('%i deep and lands after a revocation moves nothing, which is reported', async (depth) => {
    const { charge, from } = await charged(depth, confirmations);
    const { _id } = await transactionOf(charge);
    await reorg(depth, revocation(from));
    await bench.untilPending(charge);
    await world.mine(confirmations);
    if (depth < confirmations) await bench.untilState([charge], 'refused');
    await world.mine(FINALITY);
    await untilClosed(_id);
    const refused = { kind: 'refused', reason: 'insufficient_allowance', landed: true };
    const facts = bench.listener.of(charge);
    if (depth >= confirmations) expect(facts.map(({ kind }) => kind)).toEqual(['mined', 'final', 'reorged']);
    else expect(facts).toEqual([expect.objectContaining({ kind: 'mined' }), refused]);
    expect((await bench.read(charge)).state).toBe('refused');
    expect(await pulled(from)).toBe(0);
  });

  it.each(DEPTHS)(
    '%i deep and lands in another version is reported with the hash that the chain has',
    async (depth) => {
      const { charge, from } = await charged(depth, confirmations);
      const transaction = await transactionOf(charge);
      const raw = await repriced(transaction);
      await reorg(depth, raw);
      await untilDisplaced(transaction);
      await world.mine(FINALITY);
      await untilClosed(transaction._id);
      const pullTxHash = keccak256(raw);
      expect(await bench.read(charge)).toMatchObject({ state: 'final', txHash: pullTxHash });
      const facts = bench.listener.of(charge).filter(({ kind }) => kind !== 'finalized');
      expect(facts.map(({ kind }) => kind)).toEqual(
        depth >= confirmations ? ['mined', 'final', 'moved'] : ['mined', 'mined', 'final'],
      );
      expect(facts.at(-1)).toMatchObject({ hashes: { pullTxHash } });
      expect(await pulled(from)).toBe(1);
    },
  );

  it.each(DEPTHS)(
    '%i deep and loses its nonce can never land: this is proven first, then reported once',
    async (depth) => {
      const { charge, from } = await charged(depth, confirmations);
      const transaction = await transactionOf(charge);
      await reorg(depth, await rivalOf(transaction));
      await bench.until('it is seen that the nonce is used', async () => {
        const [doc] = await bench.records.get('transactions', [transaction._id]);
        return Boolean(doc?.displaced);
      });
      expect(bench.listener.kinds(charge)).toEqual(depth >= confirmations ? ['mined', 'final'] : ['mined']);
      expect(await pulled(from)).toBe(0);
      await world.mine(FINALITY);
      await untilClosed(transaction._id);
      if (depth >= confirmations) {
        expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'reorged']);
        expect(await bench.read(charge)).toMatchObject({ state: 'refused', reason: 'reorged' });
        expect(await pulled(from)).toBe(0);
        return;
      }
      await untilOutAgain(charge);
      await world.mine(confirmations);
      await bench.untilState([charge], 'final');
      expect(onlyOnce(charge, 'released')).toBe(true);
      expect(bench.listener.kinds(charge).at(-1)).toBe('final');
      expect((await transactionOf(charge)).nonce).toBeGreaterThan(transaction.nonce);
      expect(await pulled(from)).toBe(1);
    },
  );
});

describe('a charge that was refused with finality', () => {
  it('and still lands is reported mined and final', async () => {
    bench = new Bench(world);
    const from = payers.pop() ?? '';
    const charge = waitingCharge(world, { from });
    let isSpoilt = false;
    const fault = async (point: string): Promise<void> => {
      if (point !== 'sender.stored.before' || isSpoilt) return;
      isSpoilt = true;
      await world.approve(from, 'mrc_a', 0n);
    };
    await bench.chain({ timing: FAST, fault }).start();
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'refused');
    expect(await pulled(from)).toBe(0);
    // The block of the revocation is reorged out too, so the same bytes find the old allowance.
    await reorg(2);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['refused', 'mined', 'final']);
    expect(await pulled(from)).toBe(1);
  });
});

describe('a final charge that was reorged out for good', () => {
  it('is reported again to an engine that was not certain, and made by another attempt', async () => {
    const { charge, from } = await charged(2, 1);
    const transaction = await transactionOf(charge);
    let refusals = 2;
    bench.listener.onNotify = (facts) => {
      if (!facts.some(({ fact }) => fact.kind === 'reorged')) return;
      refusals -= 1;
      if (refusals >= 0) throw new Error('not certain');
    };
    await reorg(2, await rivalOf(transaction));
    await untilDisplaced(transaction);
    await world.mine(FINALITY);
    await untilClosed(transaction._id);
    expect(refusals).toBe(-1);
    expect(onlyOnce(charge, 'reorged')).toBe(true);
    const second = waitingCharge(world, { from, key: charge.key, attempt: 2 });
    await bench.charge(second);
    await bench.untilPending(second);
    await world.mine();
    await bench.untilState([second], 'final');
    expect(await pulled(from)).toBe(1);
  });

  it('is not given up if another transaction has made it: its payment gets that hash', async () => {
    const { charge, from } = await charged(1, 1);
    const transaction = await transactionOf(charge);
    const [other] = world.senderKeys.slice(1);
    const { data, gasLimit } = z
      .object({ input: z.string(), gas: z.string() })
      .transform(({ input, gas }) => ({ data: input, gasLimit: gas }))
      .parse(await world.anvil.provider.send('eth_getTransactionByHash', [transaction.txHash]));
    await reorg(1, await rivalOf(transaction));
    await world.anvil.provider.send('eth_sendTransaction', [
      { from: new Wallet(other ?? '').address, to: world.router, data, gas: gasLimit },
    ]);
    await world.mine();
    await untilDisplaced(transaction);
    await world.mine(FINALITY);
    await untilClosed(transaction._id);
    await bench.until('it is finalized there', () => bench.listener.kinds(charge).includes('finalized'));
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'moved', 'finalized']);
    const after = await bench.read(charge);
    expect(after.state).toBe('final');
    expect(after.transactionId).not.toBe(transaction._id);
    expect(await pulled(from)).toBe(1);
    expect(await world.balanceOf(from)).toBeLessThan(UNLIMITED);
  });
});

describe('an approval that a reorg removes', () => {
  it("is reported as one more change of its allowance, with the chain's current block", async () => {
    bench = new Bench(world);
    await bench.chain().start();
    const from = payers.pop() ?? '';
    const of = () => bench.listener.allowances.filter(({ wallet }) => wallet === from.toLowerCase());
    await world.approve(from, 'mrc_a', 5n);
    const block = await world.anvil.provider.getBlockNumber();
    await bench.until('the approval is reported', () => of().some((change) => change.block === block));
    const before = of().length;
    await reorg(1);
    await world.mine(1);
    await bench.until('its removal is reported', () => of().length > before);
    const [removal] = of().slice(before);
    expect(removal).toMatchObject({ merchantId: 'mrc_a', mode: 'test', token: world.usdc });
    expect(removal?.block).toBeGreaterThanOrEqual(block);
  });
});
