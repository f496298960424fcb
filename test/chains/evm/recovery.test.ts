import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvmFaultPoint } from '../../../src/chains/evm/context.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { MERCHANT, startWorld, type World, waitingCharge } from './world.ts';

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

/** Each key moved money exactly once: what the chain's Transfer logs say. */
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

const POINTS: readonly EvmFaultPoint[] = [
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'reconciler.told.before',
  'reconciler.told.after',
];

describe('a process that dies', () => {
  it.each(POINTS)('at %s leaves everything to its successor, and nothing is pulled twice', async (point) => {
    bench = new Bench(world);
    stopPump = world.pump();
    const charges = await someCharges(6);
    let died = false;
    const first = bench.chain({
      isDead: () => died,
      fault: async (at) => {
        if (at !== point) return;
        died = true;
        throw new Error(`died at ${point}`);
      },
    });
    await first.start();
    await bench.charge(...charges);
    await bench.until('it dies', () => died);
    await first.stop();
    await bench.chain().start();
    await bench.untilState(charges, 'final');
    await expectEachOnce(charges);
    for (const charge of charges) {
      expect(bench.listener.kinds(charge)).toEqual(expect.arrayContaining(['mined', 'final']));
      expect(bench.listener.kinds(charge)).not.toContain('refused');
    }
  });

  it('without giving its lane back is followed by another within its lease', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    const charges = await someCharges(2);
    const { address } = createLocalSigner(world.senderKeys[0] ?? '');
    const until = new Date(Date.now() + 400);
    await bench.records.insert('lanes', [{ _id: `${world.chainId}:${address}`, holder: 'a dead process', until }]);
    await bench.chain().start();
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    expect(bench.listener.told.length).toBeGreaterThan(0);
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    await expectEachOnce(charges);
  });

  it('goes on by itself after an error at each point', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    const left = new Set<EvmFaultPoint>(POINTS);
    await bench
      .chain({
        fault: async (at) => {
          if (left.delete(at)) throw new Error(`fails once at ${at}`);
        },
      })
      .start();
    const charges = await someCharges(4);
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    const more = await someCharges(2);
    await bench.charge(...more);
    await bench.untilState(more, 'final');
    expect(left.size).toBe(0);
    await expectEachOnce([...charges, ...more]);
  });
});

describe('a node that loses or hides things', () => {
  it('gets the same bytes again after it dropped a transaction', async () => {
    bench = new Bench(world);
    await bench.chain().start();
    const [charge] = await someCharges(1);
    if (!charge) throw new Error('no charge');
    await bench.charge(charge);
    await bench.until('it is in the pool', async () => (await poolSize()) === 1);
    const { transactionId } = await bench.read(charge);
    const [before] = await bench.records.get('transactions', [transactionId ?? '']);
    const hash = before?.versions[0]?.hash;
    await world.anvil.provider.send('anvil_dropTransaction', [hash]);
    await bench.until('it is in the pool again', async () => (await poolSize()) === 1);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    const [after] = await bench.records.get('transactions', [transactionId ?? '']);
    expect(after?.versions).toEqual(before?.versions);
    expect((await bench.read(charge)).txHash).toBe(hash);
    await expectEachOnce([charge]);
  });

  it('took the broadcast although its answer was lost', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    proxy = await startProxy(world.anvil.rpcUrl);
    let lost = 0;
    proxy.treat = (calls) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction') || lost > 0) return 'pass';
      lost += 1;
      return 'swallow';
    };
    await bench.chain({ rpcUrl: proxy.url }).start();
    const charges = await someCharges(4);
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    expect(lost).toBe(1);
    await expectEachOnce(charges);
    expect(await bench.records.count('transactions', {})).toBe(1);
  });

  it('never saw the broadcast', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    proxy = await startProxy(world.anvil.rpcUrl);
    let lost = 0;
    proxy.treat = (calls) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction') || lost > 2) return 'pass';
      lost += 1;
      return 'drop';
    };
    await bench.chain({ rpcUrl: proxy.url }).start();
    const charges = await someCharges(4);
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    expect(lost).toBe(3);
    await expectEachOnce(charges);
  });

  it('is down at the start and in between: the chain waits, says so, and catches up', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    proxy = await startProxy(world.anvil.rpcUrl);
    proxy.treat = () => 'drop';
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    const charges = await someCharges(3);
    await bench.charge(...charges);
    await bench.until('it says so', async () => (await chain.health()).trouble?.includes('no answer') ?? false);
    expect(await chain.health()).toMatchObject({ enabled: true, open: 3, head: null });
    proxy.treat = () => 'pass';
    await bench.untilState(charges, 'final');
    await bench.until('all is well', async () => (await chain.health()).trouble === null);
    const more = await someCharges(3);
    let isDown = true;
    proxy.treat = () => (isDown ? 'drop' : 'pass');
    await bench.charge(...more);
    await bench.until('it says so', async () => (await chain.health()).trouble !== null);
    isDown = false;
    await bench.untilState(more, 'final');
    await expectEachOnce([...charges, ...more]);
  });

  it('answers batches in another order and leaves answers out', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    proxy = await startProxy(world.anvil.rpcUrl);
    let turn = 0;
    proxy.rewrite = (answer) => {
      if (!Array.isArray(answer)) return answer;
      turn += 1;
      const reversed = [...answer].reverse();
      return turn % 3 === 0 ? reversed.slice(1) : reversed;
    };
    await bench.chain({ rpcUrl: proxy.url }).start();
    const charges = await someCharges(8);
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    await expectEachOnce(charges);
  });
});

describe('a reorganisation before the charge is final', () => {
  it('is followed until it lands again, told anew and settled once', async () => {
    bench = new Bench(world);
    await bench.chain({ confirmations: 3 }).start();
    const [charge] = await someCharges(1);
    if (!charge) throw new Error('no charge');
    await bench.charge(charge);
    await bench.until('it is in the pool', async () => (await poolSize()) === 1);
    await world.mine();
    await bench.untilState([charge], 'mined');
    const first = await bench.read(charge);
    await world.anvil.provider.send('anvil_reorg', [1, []]);
    await bench.until('it is broadcast again', async () => (await poolSize()) === 1);
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

  it('that ends it otherwise than before is told as it ended', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    await bench.chain({ confirmations: 2, rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.until('it is in the pool', async () => (await poolSize()) === 1);
    await world.mine();
    await bench.untilState([charge], 'mined');
    let isClosed = true;
    proxy.treat = (calls) =>
      isClosed && calls.some(({ method }) => method === 'eth_sendRawTransaction') ? 'drop' : 'pass';
    await world.anvil.provider.send('anvil_reorg', [1, []]);
    await world.approve(from, 'mrc_a', 0n);
    isClosed = false;
    await bench.until('it is broadcast again', async () => (await poolSize()) === 1);
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
  it('sends its charges back into the queue, from where they are made', async () => {
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
    await bench.until('it is in the pool', async () => (await poolSize()) === 1);
    await world.mine();
    await bench.untilState(charges, 'waiting');
    await world.act(world.owner, world.router, routerInterface.encodeFunctionData('unpause'));
    stopPump = world.pump();
    await bench.untilState(charges, 'final');
    await expectEachOnce(charges);
    const states = await bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 10 });
    expect(states.map(({ reverted }) => reverted)).toEqual([true, false]);
  });
});

describe('an engine that is not certain', () => {
  it('is told again, and one payment that is never certain holds nobody else back', async () => {
    bench = new Bench(world);
    stopPump = world.pump();
    const charges = await someCharges(4);
    const [bad, ...good] = charges;
    let isBad = true;
    bench.listener.onTell = (facts) => {
      if (isBad && facts.some(({ charge }) => charge._id === bad?._id)) throw new Error('not certain');
    };
    await bench.chain().start();
    await bench.charge(...charges);
    await bench.untilState(good, 'final');
    expect((await bench.read(bad ?? waitingCharge(world, { from: MERCHANT }))).state).toBe('sent');
    isBad = false;
    await bench.untilState(charges, 'final');
    await expectEachOnce(charges);
    for (const charge of charges)
      expect(bench.listener.kinds(charge).filter((kind) => kind === 'final')).toEqual(['final']);
  });
});

async function poolSize(): Promise<number> {
  const status: unknown = await world.anvil.provider.send('txpool_status', []);
  return typeof status === 'object' && status !== null && 'pending' in status ? Number(status.pending) : 0;
}
