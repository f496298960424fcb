import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { useEvm } from './bench.ts';

const QUICK = { replaceMs: 120 };

const { world, bench } = useEvm();

const twoCharges = async () => [await bench.newCharge(), await bench.newCharge()] as const;

/**
 * Two charges, each in a transaction that no node has seen. Then the ledger loses the first one's transaction, and the
 * charge waits again, as after a restore. Returns the lost transaction.
 */
async function restored(first: ChargeDoc, second: ChargeDoc): Promise<TransactionDoc> {
  const proxy = await bench.proxy();
  proxy.dropsBroadcasts = true;
  const before = await bench.start({ rpcUrl: proxy.url, charges: 1 });
  await bench.send(first);
  await bench.send(second);
  await before.stop();
  const lost = await bench.transactionOf(first);
  await bench.records.remove('transactions', [lost._id]);
  const set = { state: 'waiting', lane: null, transactionId: null };
  await bench.records.change('charges', first._id, {}, { set });
  return lost;
}

describe('a nonce that the ledger has lost', () => {
  it.each(['0x1', '0xffffffffffffffff'])('is filled with a transfer, whatever gas a node names: %s', async (gas) => {
    const node = await bench.proxy();
    node.rewriteOne = (answer, { method, params: [call] }) =>
      method === 'eth_estimateGas' && Object(call).value === '0x0' ? { ...answer, result: gas } : answer;
    const [first, second] = await twoCharges();
    const lost = await restored(first, second);
    world.pump();
    await bench.start({ rpcUrl: node.url, timing: QUICK });
    await bench.untilState([first, second], 'final');
    const [filler, ...others] = await bench.transactions();
    expect(filler).toMatchObject({ nonce: lost.nonce, chargeIds: [] });
    expect(others.map(({ nonce }) => nonce)).toEqual([lost.nonce + 1, lost.nonce + 2]);
    const mined = await world.anvil.provider.getTransaction(filler?.versions[0]?.hash ?? '');
    expect(mined).toMatchObject({ from: filler?.sender, to: filler?.sender, value: 0n, data: '0x' });
    await bench.expectPulledOnce(first, second);
  });

  it('is found used by the lost transaction, whose charge is reconciled from the chain', async () => {
    const [first, second] = await twoCharges();
    const lost = await restored(first, second);
    await world.broadcast(lost.versions[0]?.raw);
    await bench.start({ timing: QUICK });
    await bench.until('it is filled', async () =>
      (await bench.transactions()).some(({ chargeIds }) => chargeIds.length === 0),
    );
    world.pump();
    await bench.untilState([first, second], 'final');
    expect(await world.pulls(first.from)).toMatchObject([{ txHash: (await bench.read(first)).txHash }]);
    await bench.until('everything has ended', async () => {
      return (await bench.transactions()).every(({ state }) => state !== 'signed' && state !== 'mined');
    });
    await bench.expectPulledOnce(first, second);
  });
});

describe('a nonce that another transaction of the same key has used', () => {
  it('releases its charges, and they are made at another one', async () => {
    const charge = await bench.newCharge();
    await bench.start();
    await bench.send(charge);
    await bench.untilPending(charge);
    const overtaken = await bench.transactionOf(charge);
    await world.broadcast(await world.rivalOf(overtaken));
    world.pump();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge).slice(0, 3)).toEqual(['released', 'mined', 'final']);
    expect((await bench.transactionOf(charge)).nonce).toBe(overtaken.nonce + 1);
    const [ended] = await bench.transactions({ _id: overtaken._id });
    expect(ended?.state).toBe('expired');
    await bench.expectPulledOnce(charge);
  });

  it('is not given up before the other one is deep enough, and lands after a reorg', async () => {
    const charge = await bench.newCharge();
    await bench.start({ confirmations: 3 });
    await bench.send(charge);
    await bench.untilPending(charge);
    const ours = await bench.transactionOf(charge);
    await world.broadcast(await world.rivalOf(ours));
    await world.mine(2);
    await bench.untilAskedAgain(charge, 2);
    expect(await bench.transactionOf(charge)).toMatchObject({ state: 'signed', _id: ours._id });
    await world.reorg(2, ours.versions[0]?.raw);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).not.toContain('released');
    expect((await bench.read(charge)).txHash).toBe(ours.versions[0]?.hash);
    await bench.expectPulledOnce(charge);
  });
});

describe('a version that the ledger has lost', () => {
  it('is found by its charge, and followed', async () => {
    const charge = await bench.newCharge();
    const before = await bench.start({ timing: QUICK });
    await bench.send(charge);
    await world.setBaseFee(50n * 10n ** 9n);
    await bench.until('it is replaced', async () => (await bench.transactionOf(charge)).versions.length === 2);
    await before.stop();
    const { _id, versions } = await bench.transactionOf(charge);
    await bench.records.change('transactions', _id, {}, { set: { versions: versions.slice(0, 1), replaced: null } });
    await world.broadcast(versions[1]?.raw).catch(() => undefined);
    await world.mine();
    await bench.start({ timing: QUICK });
    await bench.untilState([charge], 'final');
    expect((await bench.transactionOf(charge)).versions.map(({ hash }) => hash)).toEqual(
      versions.map(({ hash }) => hash),
    );
    expect(await bench.read(charge)).toMatchObject({ txHash: versions[1]?.hash, transactionId: _id });
    expect(bench.listener.kinds(charge)).not.toContain('released');
    await bench.expectPulledOnce(charge);
  });
});
