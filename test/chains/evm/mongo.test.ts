import type { LedgerStore } from '../../../src/store/port.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { EvmBench } from './bench.ts';
import { EvmWorld } from './world.ts';

let store: LedgerStore;
const world = new EvmWorld();
let bench: EvmBench;

beforeAll(async () => {
  const [devnet] = await Promise.all([startTestDevnet(), world.start()]);
  store = await devnet.openStore('chains');
});
beforeEach(() => {
  bench = new EvmBench(world, store.records);
});
afterEach(() => bench.stop());
afterAll(() => world.stop());

describe('on MongoDB', () => {
  it('lands charges of several queues once, and another chain follows one that dies', async () => {
    const payers = await Promise.all([1, 2, 3].map(() => world.payer('mrc_a')));
    const refused = bench.chargeOf({ from: await world.payer('mrc_a', { balance: 0n }) });
    const charges = payers.flatMap((from) => Array.from({ length: 20 }, () => bench.chargeOf({ from })));
    let deaths = 0;
    const first = bench.chain({
      senders: 2,
      charges: 10,
      fault: async (point) => {
        if (point !== 'sender.stored.after') return;
        deaths += 1;
        if (deaths > 2) throw new Error('dies');
      },
    });
    world.pump();
    await first.start();
    await bench.charge(refused, ...charges);
    await bench.until('it has died', () => deaths > 2);
    await first.stop();
    await bench.start({ senders: 2, charges: 10 });
    await bench.untilState(charges, 'final');
    await bench.untilState([refused], 'refused');
    await bench.expectPulledOnce(...charges);
    const transactions = await bench.transactions();
    const places = transactions.map(({ sender, nonce }) => `${sender}:${nonce}`);
    expect(new Set(places).size).toBe(places.length);
    expect(await store.records.count('charges', { state: { in: ['waiting', 'started', 'sent', 'mined'] } })).toBe(0);
  });
});
