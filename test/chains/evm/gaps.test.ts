import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { expectPulledOnce } from './once.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

const QUICK = { replaceMs: 120 };
const GWEI = 1_000_000_000n;

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  stopPump();
  await world.mine(3);
});
afterAll(() => world?.stop());

async function newCharge(): Promise<ChargeDoc> {
  return waitingCharge(world, { from: await world.payer('mrc_a') });
}

function transactions(): Promise<TransactionDoc[]> {
  return bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 20 });
}

function send(raw: string | undefined): Promise<unknown> {
  return world.anvil.provider.send('eth_sendRawTransaction', [raw]);
}

/**
 * Two charges, each in a transaction that no node has seen. Then the ledger loses the first one's transaction, and the
 * charge waits again, as after a restore. Returns the lost transaction.
 */
async function restored(first: ChargeDoc, second: ChargeDoc): Promise<TransactionDoc> {
  bench = new Bench(world);
  proxy = await startProxy(world.anvil.rpcUrl);
  proxy.treat = (calls) => (calls.some(({ method }) => method === 'eth_sendRawTransaction') ? 'drop' : 'pass');
  const before = bench.chain({ rpcUrl: proxy.url, sizes: { charges: 1 } });
  await before.start();
  await bench.charge(first);
  await bench.untilState([first], 'sent');
  await bench.charge(second);
  await bench.untilState([second], 'sent');
  await before.stop();
  const lost = await bench.transactionOf(first);
  await bench.records.remove('transactions', [lost._id]);
  const set = { state: 'waiting', lane: null, transactionId: null };
  await bench.records.change('charges', first._id, {}, { set });
  proxy.treat = () => 'pass';
  return lost;
}

describe('a nonce that the ledger has lost', () => {
  it('is filled with a transfer of zero, so that later ones can land', async () => {
    const [first, second] = [await newCharge(), await newCharge()];
    const lost = await restored(first, second);
    stopPump = world.pump();
    await bench.chain({ rpcUrl: proxy.url, timing: QUICK }).start();
    await bench.untilState([first, second], 'final');
    const [filler, ...others] = await transactions();
    expect(filler).toMatchObject({ nonce: lost.nonce, chargeIds: [] });
    expect(others.map(({ nonce }) => nonce)).toEqual([lost.nonce + 1, lost.nonce + 2]);
    const mined = await world.anvil.provider.getTransaction(filler?.versions[0]?.hash ?? '');
    expect(mined).toMatchObject({ from: filler?.sender, to: filler?.sender, value: 0n, data: '0x' });
    await expectPulledOnce(world, first, second);
  });

  it('is found used by the lost transaction, whose charge is reconciled from the chain', async () => {
    const [first, second] = [await newCharge(), await newCharge()];
    const lost = await restored(first, second);
    await send(lost.versions[0]?.raw);
    await bench.chain({ rpcUrl: proxy.url, timing: QUICK }).start();
    await bench.until('it is filled', async () =>
      (await transactions()).some(({ chargeIds }) => chargeIds.length === 0),
    );
    stopPump = world.pump();
    await bench.untilState([first, second], 'final');
    const pull = (await world.transfers()).find(({ from }) => from === first.from);
    expect((await bench.read(first)).txHash).toBe(pull?.txHash);
    await bench.until('everything has ended', async () => {
      return (await transactions()).every(({ state }) => state !== 'signed' && state !== 'mined');
    });
    await expectPulledOnce(world, first, second);
  });
});

describe('a nonce that another transaction of the same key has used', () => {
  it('releases its charges, and they are made at another one', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const charge = await newCharge();
    await bench.chain({ rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    const overtaken = await bench.transactionOf(charge);
    await bench.until('it is in the pool', async () => (await known(overtaken)) !== null);
    const signer = createLocalSigner(world.senderKeys[0] ?? '');
    const foreign = await signer.signTransaction({
      type: 2,
      chainId: world.chainId,
      to: signer.address,
      nonce: overtaken.nonce,
      gasLimit: 21_000n,
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: 20n * GWEI,
    });
    await send(foreign);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge).slice(0, 3)).toEqual(['released', 'mined', 'final']);
    expect((await bench.transactionOf(charge)).nonce).toBe(overtaken.nonce + 1);
    const [ended] = await bench.records.get('transactions', [overtaken._id]);
    expect(ended?.state).toBe('expired');
    await expectPulledOnce(world, charge);
  });

  it('is not given up before the other one is deep enough, and lands after a reorg', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const charge = await newCharge();
    await bench.chain({ rpcUrl: proxy.url, confirmations: 3 }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    const ours = await bench.transactionOf(charge);
    const signer = createLocalSigner(world.senderKeys[0] ?? '');
    await bench.until('it is in the pool', async () => (await known(ours)) !== null);
    const foreign = await signer.signTransaction({
      type: 2,
      chainId: world.chainId,
      to: signer.address,
      nonce: ours.nonce,
      gasLimit: 21_000n,
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: 20n * GWEI,
    });
    await send(foreign);
    await world.mine(2);
    const { asked } = await bench.transactionOf(charge);
    await bench.until(
      'the node was asked about it again',
      async () => (await bench.transactionOf(charge)).asked > asked + 2,
    );
    expect(await bench.transactionOf(charge)).toMatchObject({ state: 'signed', _id: ours._id });
    await world.anvil.provider.send('anvil_reorg', [2, [[ours.versions[0]?.raw, 0]]]);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).not.toContain('released');
    expect((await bench.read(charge)).txHash).toBe(ours.versions[0]?.hash);
    await expectPulledOnce(world, charge);
  });
});

describe('a version that the ledger has lost', () => {
  it('is found by its charge, and followed', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const charge = await newCharge();
    const before = bench.chain({ rpcUrl: proxy.url, timing: QUICK });
    await before.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    await world.anvil.provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${(50n * GWEI).toString(16)}`]);
    await world.mine();
    await bench.until('it is replaced', async () => (await bench.transactionOf(charge)).versions.length === 2);
    await before.stop();
    const { _id, versions } = await bench.transactionOf(charge);
    await bench.records.change('transactions', _id, {}, { set: { versions: versions.slice(0, 1), replaced: null } });
    await send(versions[1]?.raw).catch(() => undefined);
    await world.mine();
    await bench.chain({ rpcUrl: proxy.url, timing: QUICK }).start();
    await bench.untilState([charge], 'final');
    expect((await bench.transactionOf(charge)).versions.map(({ hash }) => hash)).toEqual(
      versions.map(({ hash }) => hash),
    );
    expect(await bench.read(charge)).toMatchObject({ txHash: versions[1]?.hash, transactionId: _id });
    expect(bench.listener.kinds(charge)).not.toContain('released');
    await expectPulledOnce(world, charge);
  });
});

/** The node's record of the transaction. */
function known({ versions }: TransactionDoc): Promise<unknown> {
  return world.anvil.provider.send('eth_getTransactionByHash', [versions.at(-1)?.hash]);
}
