import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { startTestDevnet, type TestDevnet } from '../../support/devnet.ts';
import { Bench } from './bench.ts';
import { expectPulledOnce } from './once.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

let devnet: TestDevnet;
let store: Store;
let world: World;
let stopPump: () => void = () => {};

beforeAll(async () => {
  [devnet, world] = await Promise.all([startTestDevnet({ mongo: true, evm: false }), startWorld()]);
  store = await openMongoStore({ uri: devnet.mongoUri, dbName: 'chains', log: silentLog });
  stopPump = world.pump();
});
afterAll(async () => {
  stopPump();
  await store?.close();
  await world?.stop();
});

describe('on MongoDB', () => {
  it('replaces a transaction once, however many processes try', async () => {
    const bench = new Bench(world, store.records);
    const leases = { take: async () => true, release: async () => {} };
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    stopPump();
    let isPriced = false;
    const wish = { leases, timing: { replaceMs: 100 } };
    const fault = async (point: string): Promise<void> => {
      if (point !== 'sender.stored.after' || isPriced) return;
      isPriced = true;
      await world.anvil.provider.send('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
      await world.mine();
    };
    await bench.chain({ ...wish, fault }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    await bench.chain(wish).start();
    await bench.until('it is replaced', async () => (await bench.transactionOf(charge)).versions.length > 1);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    await bench.stop();
    const { versions, replaced } = await bench.transactionOf(charge);
    expect(versions).toHaveLength(1 + (replaced ?? 0));
    await expectPulledOnce(world, charge);
  });

  it('lands charges of several queues once, and another chain follows one that dies', async () => {
    const bench = new Bench(world, store.records);
    const payers = await Promise.all([1, 2, 3].map(() => world.payer('mrc_a')));
    const refused = waitingCharge(world, { from: await world.payer('mrc_a', { balance: 0n }) });
    const charges = payers.flatMap((from) => Array.from({ length: 20 }, () => waitingCharge(world, { from })));
    let deaths = 0;
    const first = bench.chain({
      senders: 2,
      sizes: { charges: 10 },
      fault: async (point) => {
        if (point !== 'sender.stored.after') return;
        deaths += 1;
        if (deaths > 2) throw new Error('dies');
      },
    });
    await first.start();
    await bench.charge(refused, ...charges);
    await bench.until('it has died', () => deaths > 2);
    await first.stop();
    await bench.chain({ senders: 2, sizes: { charges: 10 } }).start();
    await bench.untilState(charges, 'final');
    await bench.untilState([refused], 'refused');
    await bench.stop();
    const transfers = await world.transfers();
    expect(payers.map((payer) => transfers.filter(({ from }) => from === payer).length)).toEqual([20, 20, 20]);
    const transactions = await store.records.find('transactions', { where: {}, limit: 1_000 });
    const places = transactions.map(({ sender, nonce }) => `${sender}:${nonce}`);
    expect(new Set(places).size).toBe(places.length);
    expect(await store.records.count('charges', { state: { in: ['waiting', 'started', 'sent', 'mined'] } })).toBe(0);
  });
});
