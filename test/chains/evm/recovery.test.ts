import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

/** Tests for EVM only; `test/chains/contract/suite.ts` has those for every chain. */
let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
let proxy: RpcProxy | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  proxy = undefined;
  stopPump();
  await world.mine(3);
});
afterAll(() => world?.stop());

/** By the chain's Transfer logs, each key moved money exactly once. */
async function expectEachOnce(charges: readonly ChargeDoc[]): Promise<void> {
  const transfers = await world.transfers();
  const gross = (from: string): bigint =>
    charges.filter((charge) => charge.from === from).reduce((sum, charge) => sum + BigInt(charge.gross), 0n);
  for (const { from } of charges) {
    const own = transfers.filter((transfer) => transfer.from === from);
    expect(own.length).toBe(charges.filter((charge) => charge.from === from).length);
    expect(own.reduce((sum, { amount }) => sum + amount, 0n)).toBe(gross(from));
  }
  expect(await world.balanceOf(world.router)).toBe(0n);
}

async function someCharges(count: number): Promise<ChargeDoc[]> {
  const payers = await Promise.all([world.payer('mrc_a'), world.payer('mrc_b')]);
  return Array.from({ length: count }, (_, index) => {
    const which = index % 2;
    return waitingCharge(world, { from: payers[which] ?? '', merchantId: which === 0 ? 'mrc_a' : 'mrc_b' });
  });
}

describe('a process that dies', () => {
  it('without giving its signing queue back is followed by another within its lease', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    const charges = await someCharges(2);
    const { address } = createLocalSigner(world.senderKeys[0] ?? '');
    const until = new Date(Date.now() + 400);
    await bench.records.insert('lanes', [{ _id: `${world.chainId}:${address}`, holder: 'a dead process', until }]);
    await bench.chain().start();
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    expect(bench.listener.reported.length).toBeGreaterThan(0);
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    await expectEachOnce(charges);
  });
});

describe('a node that loses or hides transactions', () => {
  it('gets the same bytes again after it dropped a transaction', async () => {
    bench = new Bench(world);
    await bench.chain().start();
    const [charge] = await someCharges(1);
    if (!charge) throw new Error('no charge');
    await bench.charge(charge);
    await bench.untilPending(charge);
    const { transactionId } = await bench.read(charge);
    const [before] = await bench.records.get('transactions', [transactionId ?? '']);
    const hash = before?.versions[0]?.hash;
    await world.anvil.provider.send('anvil_dropTransaction', [hash]);
    await bench.untilPending(charge);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    const [after] = await bench.records.get('transactions', [transactionId ?? '']);
    expect(after?.versions).toEqual(before?.versions);
    expect((await bench.read(charge)).txHash).toBe(hash);
    await expectEachOnce([charge]);
  });
});

describe('a reorganisation before the charge is final', () => {
  it('is followed until it lands again, reported again and settled once', async () => {
    bench = new Bench(world);
    await bench.chain({ confirmations: 3 }).start();
    const [charge] = await someCharges(1);
    if (!charge) throw new Error('no charge');
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'mined');
    const first = await bench.read(charge);
    await world.anvil.provider.send('anvil_reorg', [1, []]);
    await bench.untilPending(charge);
    expect((await bench.read(charge)).state).toBe('sent');
    await world.mine();
    await bench.untilState([charge], 'mined');
    const second = await bench.read(charge);
    expect(second.block?.hash).not.toBe(first.block?.hash);
    expect(second.txHash).toBe(first.txHash);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge).slice(0, 3)).toEqual(['mined', 'mined', 'final']);
    await expectEachOnce([charge]);
  });

  it('with another result is reported with the last result', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    await bench.chain({ confirmations: 2, rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'mined');
    let isClosed = true;
    proxy.treat = (calls) =>
      isClosed && calls.some(({ method }) => method === 'eth_sendRawTransaction') ? 'drop' : 'pass';
    await world.anvil.provider.send('anvil_reorg', [1, []]);
    await world.approve(from, 'mrc_a', 0n);
    isClosed = false;
    await bench.untilPending(charge);
    await world.mine();
    await bench.until('its transaction is in a block', async () => {
      const [transaction] = await bench.records.find('transactions', { where: {}, limit: 1 });
      return transaction?.state === 'mined' && transaction.block !== null;
    });
    expect(bench.listener.kinds(charge)).toEqual(['mined']);
    await world.mine();
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge).at(-1)).toEqual({
      kind: 'refused',
      reason: 'insufficient_allowance',
      landed: true,
    });
    expect((await world.transfers()).filter((transfer) => transfer.from === from)).toEqual([]);
  });
});

describe('a transaction that reverts as a whole', () => {
  it('returns its charges to the queue, where they are made again', async () => {
    bench = new Bench(world);
    const charges = await someCharges(3);
    let paused = false;
    await bench
      .chain({
        fault: async (point) => {
          if (point !== 'sender.stored.before' || paused) return;
          paused = true;
          await world.act(world.owner, world.router, routerInterface.encodeFunctionData('pause'));
        },
      })
      .start();
    await bench.charge(...charges);
    await bench.untilState(charges, 'sent');
    await bench.untilPending(...charges);
    await world.mine();
    await bench.untilState(charges, 'waiting');
    await world.act(world.owner, world.router, routerInterface.encodeFunctionData('unpause'));
    stopPump = world.pump();
    await bench.untilState(charges, 'final');
    await expectEachOnce(charges);
    const states = await bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 10 });
    expect(states.map(({ reverted }) => reverted)).toEqual([true, false]);
  });

  it('is reported late by a suspended process as the release that it was, after the charge was taken again', async () => {
    bench = new Bench(world);
    const [charge] = await someCharges(1);
    if (!charge) throw new Error('no charge');
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let paused = false;
    let standsStill = false;
    await bench
      .chain({
        fault: async (point, detail) => {
          if (point === 'sender.stored.before' && !paused) {
            paused = true;
            await world.act(world.owner, world.router, routerInterface.encodeFunctionData('pause'));
          }
          if (point === 'reconciler.notify.before' && detail === 'released') {
            standsStill = true;
            await held;
          }
        },
      })
      .start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    await bench.untilPending(charge);
    await world.mine();
    await bench.until('the first instance is about to report the release', () => standsStill);
    try {
      await bench.chain().start();
      await bench.untilState([charge], 'waiting');
      expect((await bench.read(charge)).releases).toBe(1);
      await world.act(world.owner, world.router, routerInterface.encodeFunctionData('unpause'));
      await bench.untilState([charge], 'sent');
    } finally {
      goOn();
    }
    await bench.until('both instances have reported the release', () => bench.listener.kinds(charge).length === 2);
    const reported = bench.listener.reported.map(({ charge: { releases }, fact: { kind } }) => [kind, releases]);
    expect(reported).toEqual([
      ['released', undefined],
      ['released', undefined],
    ]);
    expect(await bench.read(charge)).toMatchObject({ state: 'sent', releases: 1 });
  });
});
