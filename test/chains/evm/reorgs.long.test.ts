import { isDeepStrictEqual } from 'node:util';
import { keccak256, Transaction } from 'ethers';
import type { ChainTiming } from '../../../src/chains/context.ts';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { onceAt } from '../support/faults.ts';
import { secondAttempt } from '../support/world.ts';
import { useEvm } from './bench.ts';

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

const { world, bench } = useEvm({ epoch: EPOCH });
/** Wallets that approved the merchant so long ago that no reorganisation undoes it. */
const payers: string[] = [];

beforeAll(async () => {
  const count = 4 * DEPTHS.length * CONFIRMATIONS.length + 4;
  for (let made = 0; made < count; made += 1) payers.push(await world.payer('mrc_a'));
  await world.mine(FINALITY);
});

/** A charge in the `depth`th block from the end, reported as far as that. */
async function charged(depth: number, confirmations: number): Promise<ChargeDoc> {
  await bench.start({ confirmations, timing: FAST });
  const charge = bench.chargeOf({ from: payers.pop() ?? '' });
  await bench.charge(charge);
  await bench.untilPending(charge);
  await world.mine();
  await bench.untilState([charge], confirmations === 1 ? 'final' : 'mined');
  await world.mine(depth - 1);
  if (depth >= confirmations) await bench.untilState([charge], 'final');
  return charge;
}

/** The end of its allowance, which a payer can send before a charge lands again. */
function revocation(from: string): object {
  const data = testTokenInterface.encodeFunctionData('approve', [operatorAddress(world.router, 'mrc_a', 'test'), 0n]);
  return { from, to: world.token, data };
}

/** Another version of the transaction, with a higher fee. It makes the same charges. */
function repriced({ sender, versions }: TransactionDoc): Promise<string> {
  const { type, chainId, nonce, to, gasLimit, data, maxFeePerGas } = Transaction.from(versions.at(-1)?.raw);
  const fees = { maxFeePerGas: 2n * (maxFeePerGas ?? 0n), maxPriorityFeePerGas: 10n ** 9n };
  return world.signerOf(sender).signTransaction({ type, chainId, nonce, to, gasLimit, data, ...fees });
}

/** The transaction may land in a block that proves the earlier one dead, and be deep enough at once. */
async function untilOutAgain(charge: ChargeDoc): Promise<void> {
  await bench.until('its next transaction is in the pool or in a block', async () => {
    const { state } = await bench.read(charge);
    return state === 'mined' || state === 'final' || (state === 'sent' && (await bench.isPending(charge)));
  });
}

function untilDisplaced({ _id }: TransactionDoc): Promise<void> {
  return bench.until('it is seen that another has its nonce', async () => {
    const [transaction] = await bench.transactions({ _id });
    return Boolean(transaction?.displaced);
  });
}

function untilClosed(_id: string): Promise<void> {
  return bench.until('the transaction is finalized or expired', async () => {
    const [transaction] = await bench.transactions({ _id });
    return transaction?.state === 'finalized' || transaction?.state === 'expired';
  });
}

/** How many times the payer was pulled from, by the chain's own logs. */
async function pulled({ from }: ChargeDoc): Promise<number> {
  return (await world.movedFrom(from)).length;
}

function onlyOnce(charge: ChargeDoc, kind: string): boolean {
  return bench.listener.kinds(charge).filter((each) => each === kind).length === 1;
}

describe.each(CONFIRMATIONS)('with %i confirmations, a charge that is reorged out', (confirmations) => {
  it.each(DEPTHS)('%i deep and lands again is reported again only if it was not final', async (depth) => {
    const charge = await charged(depth, confirmations);
    const before = await bench.read(charge);
    const { versions } = await bench.transactionOf(charge);
    await world.reorg(depth);
    await bench.untilPending(charge);
    await world.mine(FINALITY + confirmations);
    await untilClosed((await bench.transactionOf(charge))._id);
    const after = await bench.read(charge);
    expect(after).toMatchObject({ state: 'final', txHash: before.txHash });
    expect(after.block?.hash).not.toBe(before.block?.hash);
    const spent = versions.map((version) => ({ ...version, raw: '' }));
    expect((await bench.transactionOf(charge)).versions).toEqual(spent);
    const again = depth >= confirmations ? ['mined', 'final', 'finalized'] : ['mined', 'mined', 'final', 'finalized'];
    expect(bench.listener.kinds(charge)).toEqual(again);
    expect(await pulled(charge)).toBe(1);
  });

  it.each(DEPTHS)('%i deep and lands after a revocation moves nothing, which is reported', async (depth) => {
    const charge = await charged(depth, confirmations);
    const { _id } = await bench.transactionOf(charge);
    await world.reorg(depth, revocation(charge.from));
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
    expect(await pulled(charge)).toBe(0);
  });

  it.each(DEPTHS)(
    '%i deep and lands in another version is reported with the hash that the chain has',
    async (depth) => {
      const charge = await charged(depth, confirmations);
      const transaction = await bench.transactionOf(charge);
      const raw = await repriced(transaction);
      await world.reorg(depth, raw);
      await untilDisplaced(transaction);
      await world.mine(FINALITY);
      await untilClosed(transaction._id);
      const pullTxHash = keccak256(raw);
      expect(await bench.read(charge)).toMatchObject({ state: 'final', txHash: pullTxHash });
      const told = bench.listener.of(charge).flatMap((fact) => ('hashes' in fact ? fact : []));
      // The payment gets its hash a second time if the charge becomes final in one check and finalized in the next.
      const notices = told.filter(
        ({ kind, hashes }, index) => kind !== 'moved' || !isDeepStrictEqual(hashes, told[index - 1]?.hashes),
      );
      expect(notices.map(({ kind }) => kind)).toEqual(
        depth >= confirmations ? ['mined', 'final', 'moved'] : ['mined', 'mined', 'final'],
      );
      expect(told.at(-1)).toMatchObject({ hashes: { pullTxHash } });
      expect(await pulled(charge)).toBe(1);
    },
  );

  it.each(DEPTHS)(
    '%i deep and loses its nonce can never land: this is proven first, then reported once',
    async (depth) => {
      const charge = await charged(depth, confirmations);
      const transaction = await bench.transactionOf(charge);
      await world.reorg(depth, await world.rivalOf(transaction));
      await untilDisplaced(transaction);
      expect(bench.listener.kinds(charge)).toEqual(depth >= confirmations ? ['mined', 'final'] : ['mined']);
      expect(await pulled(charge)).toBe(0);
      await world.mine(FINALITY);
      await untilClosed(transaction._id);
      if (depth >= confirmations) {
        expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'reorged']);
        expect(await bench.read(charge)).toMatchObject({ state: 'refused', reason: 'reorged' });
        expect(await pulled(charge)).toBe(0);
        return;
      }
      await untilOutAgain(charge);
      await world.mine(confirmations);
      await bench.untilState([charge], 'final');
      expect(onlyOnce(charge, 'released')).toBe(true);
      expect(bench.listener.kinds(charge).at(-1)).toBe('final');
      expect((await bench.transactionOf(charge)).nonce).toBeGreaterThan(transaction.nonce);
      expect(await pulled(charge)).toBe(1);
    },
  );
});

describe('a charge that was refused with finality', () => {
  it('and still lands is reported mined and final', async () => {
    const from = payers.pop() ?? '';
    const charge = bench.chargeOf({ from });
    const fault = onceAt('sender.stored.before', () => world.approve(from, 'mrc_a', 0n));
    await bench.start({ timing: FAST, fault });
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'refused');
    expect(await pulled(charge)).toBe(0);
    // The block of the revocation is reorged out too, so the same bytes find the old allowance.
    await world.reorg(2);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['refused', 'mined', 'final']);
    expect(await pulled(charge)).toBe(1);
  });
});

describe('a final charge that was reorged out for good', () => {
  it('is reported again to an engine that was not certain, and made by another attempt', async () => {
    const charge = await charged(2, 1);
    const transaction = await bench.transactionOf(charge);
    let refusals = 2;
    bench.listener.onNotify = (facts) => {
      if (!facts.some(({ fact }) => fact.kind === 'reorged')) return;
      refusals -= 1;
      if (refusals >= 0) throw new Error('not certain');
    };
    await world.reorg(2, await world.rivalOf(transaction));
    await untilDisplaced(transaction);
    await world.mine(FINALITY);
    await untilClosed(transaction._id);
    expect(refusals).toBe(-1);
    expect(onlyOnce(charge, 'reorged')).toBe(true);
    const second = secondAttempt(charge);
    await bench.charge(second);
    await bench.untilPending(second);
    await world.mine();
    await bench.untilState([second], 'final');
    expect(await pulled(charge)).toBe(1);
  });

  it('is not given up if another transaction has made it: its payment gets that hash', async () => {
    const charge = await charged(1, 1);
    const transaction = await bench.transactionOf(charge);
    const { data } = Transaction.from(transaction.versions.at(-1)?.raw);
    await world.reorg(1, await world.rivalOf(transaction));
    await world.act(world.senders[1] ?? '', world.router, data);
    await untilDisplaced(transaction);
    await world.mine(FINALITY);
    await untilClosed(transaction._id);
    await bench.until('it is finalized there', () => bench.listener.kinds(charge).includes('finalized'));
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'moved', 'finalized']);
    const after = await bench.read(charge);
    expect(after.state).toBe('final');
    expect(after.transactionId).not.toBe(transaction._id);
    expect(await pulled(charge)).toBe(1);
  });
});

describe('an approval that a reorg removes', () => {
  it("is reported as one more change of its allowance, with the chain's current block", async () => {
    await bench.start();
    const from = payers.pop() ?? '';
    const of = () => bench.listener.allowances.filter(({ wallet }) => wallet === from.toLowerCase());
    await world.approve(from, 'mrc_a', 5n);
    const block = await world.height();
    await bench.until('the approval is reported', () => of().some((change) => change.block === block));
    const before = of().length;
    await world.reorg(1);
    await world.mine(1);
    await bench.until('its removal is reported', () => of().length > before);
    const [removal] = of().slice(before);
    expect(removal).toMatchObject({ merchantId: 'mrc_a', mode: 'test', token: world.token });
    expect(removal?.block).toBeGreaterThanOrEqual(block);
  });
});
