import { Transaction } from 'ethers';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { Bench, type ChainWish } from './bench.ts';
import { type Called, type RpcProxy, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

const QUICK = { replaceMs: 120 };
const GWEI = 1_000_000_000n;

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
let proxy: RpcProxy | undefined;
let payer: string;
/** The addresses of the two senders. */
let one: string;
let other: string;

beforeAll(async () => {
  world = await startWorld();
  payer = await world.payer('mrc_a');
  [one = '', other = ''] = world.senderKeys.map((key) => createLocalSigner(key).address);
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  proxy = undefined;
  stopPump();
});
afterAll(() => world?.stop());

/** Charges of cycles, which spread over the queues. */
function cycles(count: number): ChargeDoc[] {
  return Array.from({ length: count }, () => ({ ...waitingCharge(world, { from: payer }), isCycle: true }));
}

/** Every charge has pulled once from their shared payer. */
async function expectEachOnce(before: number, charges: readonly ChargeDoc[]): Promise<void> {
  expect((await pulls()) - before).toBe(charges.length);
  const hashes = await Promise.all(charges.map(async (charge) => (await bench.read(charge)).txHash));
  expect(hashes).not.toContain(null);
}

async function pulls(): Promise<number> {
  return (await world.transfers()).filter(({ from }) => from === payer).length;
}

function transactionsOf(sender: string): Promise<TransactionDoc[]> {
  return bench.records.find('transactions', { where: { sender }, sort: [['nonce', 1]], limit: 50 });
}

async function chargesOf(sender: string): Promise<string[]> {
  return (await transactionsOf(sender)).flatMap(({ chargeIds }) => chargeIds);
}

/** True if one of the calls sends a transaction that `sender` has signed. */
function isOf(sender: string, calls: readonly Called[]): boolean {
  return calls.some(
    ({ method, params }) => method === 'eth_sendRawTransaction' && Transaction.from(String(params[0])).from === sender,
  );
}

async function setBalance(sender: string, wei: bigint): Promise<void> {
  await world.anvil.provider.send('anvil_setBalance', [sender, `0x${wei.toString(16)}`]);
}

function troubleOf(chain: Chain): Promise<string> {
  return chain.health().then(({ trouble }) => trouble ?? '');
}

describe('a sender whose transaction is stuck', () => {
  it('does not stop the other one, and continues after a replacement', async () => {
    bench = new Bench(world);
    const before = await pulls();
    proxy = await startProxy(world.anvil.rpcUrl);
    let isClosed = true;
    proxy.treat = (calls) => (isClosed && isOf(one, calls) ? 'drop' : 'pass');
    const chain = bench.chain({ rpcUrl: proxy.url, senders: 2, timing: QUICK, sizes: { inFlight: 1 } });
    const charges = cycles(12);
    await bench.charge(...charges);
    await chain.start();
    await bench.until('both have signed', async () => {
      return (await chargesOf(one)).length > 0 && (await chargesOf(other)).length > 0;
    });
    const stuck = new Set(await chargesOf(one));
    // Transactions that were signed before cannot get into a block any more.
    await world.anvil.provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${(50n * GWEI).toString(16)}`]);
    await world.mine();
    stopPump = world.pump();
    const more = cycles(12);
    await bench.charge(...more);
    const others = [...charges, ...more].filter(({ _id }) => !stuck.has(_id));
    await bench.untilState(others, 'final');
    // A transaction is closed after its charges.
    await bench.until('only one of them has something in flight', async () => {
      const { senders } = await chain.health();
      const inFlight = new Map(senders.map((sender) => [sender.address, sender.inFlight]));
      return inFlight.get(one) === 1 && inFlight.get(other) === 0;
    });
    expect(new Set(await chargesOf(one))).toEqual(stuck);
    isClosed = false;
    await bench.untilState(charges, 'final');
    const [first] = await transactionsOf(one);
    expect(first?.versions.length).toBeGreaterThan(1);
    const last = cycles(12);
    await bench.charge(...last);
    await bench.untilState(last, 'final');
    expect((await transactionsOf(one)).length).toBeGreaterThan(1);
    await expectEachOnce(before, [...charges, ...more, ...last]);
  });
});

describe('a sender with the most transactions in flight', () => {
  /** A signing queue whose only allowed transaction is in flight and gets into no block. */
  async function full(timing: NonNullable<ChainWish['timing']>) {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const wish: ChainWish = { timing, rpcUrl: proxy.url, sizes: { inFlight: 1 } };
    const chain = bench.chain(wish);
    const first = cycles(1);
    await bench.charge(...first);
    await chain.start();
    await bench.untilState(first, 'sent');
    return { chain, first, wish };
  }

  function asked(name: string): number {
    return proxy?.seen.filter(({ method }) => method === name).length ?? 0;
  }

  /** Waits until the queue has checked its charges and has asked for the charges in flight many times since. */
  async function untilChecked(simulated: number): Promise<void> {
    await bench.until('it has checked what waits', () => asked('eth_call') > simulated);
    const receipts = asked('eth_getTransactionReceipt');
    await bench.until('time has passed', () => asked('eth_getTransactionReceipt') >= receipts + 5);
  }

  it('waits for a block, even if more waits than fits into one transaction', async () => {
    const before = await pulls();
    // The time of a block is longer than the test.
    const { chain, first } = await full({ blockMs: 600_000 });
    const more = cycles(120);
    await bench.charge(...more);
    const simulated = asked('eth_call');
    chain.wake();
    await untilChecked(simulated);
    // One check is a call for the charges and at most a few for the allowances of their payers.
    expect(asked('eth_call') - simulated).toBeLessThan(10);
    await world.mine();
    await bench.untilState(first, 'final');
    chain.wake();
    stopPump = world.pump();
    await bench.untilState(more, 'final');
    await expectEachOnce(before, [...first, ...more]);
  });

  it('sends charges that were taken before as soon as there is room', async () => {
    const before = await pulls();
    const { chain, first, wish } = await full({ orphanMs: 600_000 });
    await chain.stop();
    // An earlier holder of the signing queue took these, and has ended since.
    const taken = cycles(2).map((charge): ChargeDoc => {
      return { ...charge, state: 'started', lane: one, transactionId: 'txn_never' };
    });
    await bench.charge(...taken);
    const simulated = asked('eth_call');
    await bench.chain(wish).start();
    await untilChecked(simulated);
    stopPump = world.pump();
    await bench.untilState([...first, ...taken], 'final');
    await expectEachOnce(before, [...first, ...taken]);
  });
});

describe('a sender without gas', () => {
  it('leaves its share to the other, shows it, and takes part again when gas arrives', async () => {
    bench = new Bench(world);
    const before = await pulls();
    stopPump = world.pump();
    const full = await world.anvil.provider.getBalance(one);
    await setBalance(one, 1n);
    const chain = bench.chain({ senders: 2 });
    await chain.start();
    const charges = cycles(12);
    await bench.charge(...charges);
    await bench.untilState(charges, 'final');
    expect(await chargesOf(one)).toEqual([]);
    const said = await troubleOf(chain);
    expect(said).toContain(`sender ${one} has 0.000000000000000001 of the native coin for gas`);
    expect(said).not.toContain(other);
    expect((await chain.health()).senders).toEqual([
      { address: one, balance: '1', chargesLeft: 0, inFlight: 0 },
      { address: other, balance: expect.stringMatching(/^\d{18,}$/), chargesLeft: expect.any(Number), inFlight: 0 },
    ]);
    await setBalance(one, full);
    await bench.until('health shows no trouble', async () => (await troubleOf(chain)) === '');
    // Its queue sees the gas at its next turn; until then the other one takes everything.
    const more: ChargeDoc[] = [];
    await bench.until('the sender takes part again', async () => {
      const some = cycles(12);
      more.push(...some);
      await bench.charge(...some);
      await bench.untilState(some, 'final');
      return (await chargesOf(one)).length > 0;
    });
    await expectEachOnce(before, [...charges, ...more]);
  });

  it('can be one of several without gas: charges wait unstarted until the chain shows gas', async () => {
    bench = new Bench(world);
    const before = await pulls();
    stopPump = world.pump();
    const full = await world.anvil.provider.getBalance(other);
    await Promise.all([setBalance(one, 0n), setBalance(other, 0n)]);
    const chain = bench.chain({ senders: 2 });
    await chain.start();
    const charges = cycles(6);
    await bench.charge(...charges);
    await bench.until('health shows both senders', async () => {
      const said = await troubleOf(chain);
      return said.includes(one) && said.includes(other);
    });
    expect(bench.listener.started).toEqual([]);
    expect((await bench.read(charges[0] ?? waitingCharge(world, { from: payer }))).state).toBe('waiting');
    await setBalance(other, full);
    await bench.untilState(charges, 'final');
    expect(await chargesOf(one)).toEqual([]);
    await setBalance(one, full);
    await bench.until('health shows no trouble', async () => (await troubleOf(chain)) === '');
    await expectEachOnce(before, charges);
  });

  it('is shown by a process without queues', async () => {
    bench = new Bench(world);
    const chain = bench.chain();
    const full = await world.anvil.provider.getBalance(one);
    await setBalance(one, 7n);
    const { senders, trouble } = await chain.health();
    expect(senders).toEqual([{ address: one, balance: '7', chargesLeft: 0, inFlight: 0 }]);
    expect(trouble).toContain(`sender ${one} has`);
    await setBalance(one, full);
  });
});
