import { Transaction } from 'ethers';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { type Called, isBroadcast } from '../support/proxy.ts';
import { type EvmWish, useEvm } from './bench.ts';

const QUICK = { replaceMs: 120 };
const GWEI = 1_000_000_000n;

const { world, bench } = useEvm();
const [one, other] = world.senders;
let payer: string;

beforeEach(async () => {
  payer = await world.payer('mrc_a');
});

/** Charges of cycles, which spread over the queues. */
function cycles(count: number): ChargeDoc[] {
  return Array.from({ length: count }, () => ({ ...bench.chargeOf({ from: payer }), isCycle: true }));
}

async function chargesOf(sender: string): Promise<string[]> {
  return (await bench.transactions({ sender })).flatMap(({ chargeIds }) => chargeIds);
}

/** True if one of the calls sends a transaction that `sender` has signed. */
function isOf(sender: string, calls: readonly Called[]): boolean {
  return calls.some((call) => isBroadcast(call) && Transaction.from(String(call.params[0])).from === sender);
}

describe('a sender whose transaction is stuck', () => {
  it('does not stop the other one, and continues after a replacement', async () => {
    const proxy = await bench.proxy();
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
    await world.setBaseFee(50n * GWEI);
    world.pump();
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
    const [first] = await bench.transactions({ sender: one });
    expect(first?.versions.length).toBeGreaterThan(1);
    const last = cycles(12);
    await bench.settle(...last);
    expect((await bench.transactions({ sender: one })).length).toBeGreaterThan(1);
    await bench.expectPulledOnce(...charges, ...more, ...last);
  });
});

describe('a sender with the most transactions in flight', () => {
  /** A signing queue whose only allowed transaction is in flight and gets into no block. */
  async function full(timing: NonNullable<EvmWish['timing']>) {
    const proxy = await bench.proxy();
    const wish: EvmWish = { timing, rpcUrl: proxy.url, sizes: { inFlight: 1 } };
    const chain = await bench.start(wish);
    const first = cycles(1);
    await bench.send(...first);
    const asked = (name: string): number => proxy.seen.filter(({ method }) => method === name).length;
    /** Waits until the queue has checked its charges and has asked for the charges in flight many times since. */
    const untilChecked = async (simulated: number): Promise<void> => {
      await bench.until('it has simulated the waiting charges', () => asked('eth_call') > simulated);
      const receipts = asked('eth_getTransactionReceipt');
      await bench.until('time has passed', () => asked('eth_getTransactionReceipt') >= receipts + 5);
    };
    return { chain, first, wish, asked, untilChecked };
  }

  it('waits for a block, even if more waits than fits into one transaction', async () => {
    // The time of a block is longer than the test.
    const { chain, first, asked, untilChecked } = await full({ blockMs: 600_000 });
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
    world.pump();
    await bench.untilState(more, 'final');
    await bench.expectPulledOnce(...first, ...more);
  });

  it('sends charges that were taken before as soon as there is room', async () => {
    const { chain, first, wish, asked, untilChecked } = await full({ orphanMs: 600_000 });
    await chain.stop();
    // An earlier holder of the signing queue took these, and has ended since.
    const taken = cycles(2).map((charge): ChargeDoc => {
      return { ...charge, state: 'started', lane: one, transactionId: 'txn_never' };
    });
    await bench.charge(...taken);
    const simulated = asked('eth_call');
    await bench.start(wish);
    await untilChecked(simulated);
    world.pump();
    await bench.untilState([...first, ...taken], 'final');
    await bench.expectPulledOnce(...first, ...taken);
  });
});

describe('a sender without gas', () => {
  it('is shown by a process without queues', async () => {
    const chain = bench.chain();
    const full = await world.gasOf(one);
    await world.setGas(one, 7n);
    const { senders, trouble } = await chain.health();
    expect(senders).toEqual([{ address: one, balance: '7', chargesLeft: 0, inFlight: 0, expired: 0 }]);
    expect(trouble).toContain(`sender ${one} has 0.000000000000000007 of the native coin for gas`);
    expect(trouble).not.toContain(other);
    await world.setGas(one, full);
  });
});
