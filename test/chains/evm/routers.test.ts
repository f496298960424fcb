import { Transaction } from 'ethers';
import { chargedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { Routers } from '../../../src/chains/evm/routers.ts';
import { nextBatch } from '../../../src/chains/evm/sender/prepare.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { waitingCharge } from '../support/world.ts';
import { useEvm } from './bench.ts';

const { world, bench } = useEvm({ pumps: true });
let newer: string;

beforeAll(async () => {
  newer = await world.deployRouter();
});

/** A charge of a payer who has approved the operator of this router. */
async function chargeOn(router = world.router): Promise<ChargeDoc> {
  return bench.chargeOf({ from: await world.payer('mrc_a', { router }), router });
}

/** The router whose log says that it made the charge. */
async function madeBy({ key }: ChargeDoc): Promise<string[]> {
  const logs = await world.anvil.provider.getLogs({ fromBlock: 0, topics: [chargedTopic, key] });
  return logs.map(({ address }) => address);
}

async function pause(router: string, what: 'pause' | 'unpause'): Promise<void> {
  await world.act(world.owner, router, routerInterface.encodeFunctionData(what));
}

describe('charges of several routers', () => {
  it('are each made by their own, in transactions of one router', async () => {
    const chain = bench.chain({ routers: [newer, world.router] });
    const charges = [await chargeOn(), await chargeOn(newer), await chargeOn(), await chargeOn(newer)];
    await bench.charge(...charges);
    await chain.start();
    await bench.untilState(charges, 'final');
    const routers = await Promise.all(charges.map(madeBy));
    expect(routers).toEqual([[world.router], [newer], [world.router], [newer]]);
    const transactions = await Promise.all(charges.map((charge) => bench.transactionOf(charge)));
    const called = transactions.map(({ versions }) => Transaction.from(versions.at(-1)?.raw ?? '').to);
    expect(called).toEqual(routers.flat());
    expect(new Set(transactions.map(({ _id }) => _id)).size).toBe(2);
    await bench.expectPulledOnce(...charges);
    expect(chain.router).toBe(newer);
    for (const router of [newer, world.router]) {
      expect(await chain.whyUnsuitable(router, 'payee')).toContain('router');
    }
  });

  it.each(['old', 'new'] as const)(
    'go on if the code of the %s router is wrong, and its charges wait',
    async (which) => {
      const wrong = world.token;
      const chain = bench.chain({ routers: which === 'old' ? [newer, wrong] : [wrong, newer] });
      const [fine, waiting] = [await chargeOn(newer), { ...(await chargeOn(newer)), router: wrong }];
      await bench.charge(waiting, fine);
      await chain.start();
      await bench.untilState([fine], 'final');
      await bench.untilTrouble(chain, `The code at ${wrong} is not the code of the router`);
      expect((await bench.read(waiting)).state).toBe('waiting');
    },
  );

  it('wait for a process that has their router in its list', async () => {
    const behind = bench.chain({ routers: [world.router] });
    const charge = await chargeOn(newer);
    await bench.charge(charge);
    await behind.start();
    await bench.untilTrouble(behind, `does not have the router ${newer}`);
    expect((await bench.read(charge)).state).toBe('waiting');
    await behind.stop();
    await bench.start({ routers: [newer, world.router], clock: () => new Date(Date.now() + 60_000) });
    await bench.untilState([charge], 'final');
    await bench.expectPulledOnce(charge);
  });

  it('go on while another router is paused; its charges follow when it is not', async () => {
    let later = 0;
    const chain = bench.chain({ routers: [newer, world.router], clock: () => new Date(Date.now() + later) });
    await pause(world.router, 'pause');
    const [held, fine] = [await chargeOn(), await chargeOn(newer)];
    await bench.charge(held, fine);
    await chain.start();
    await bench.untilState([fine], 'final');
    await bench.untilTrouble(chain, `the owner has paused the router (${world.router})`);
    expect((await bench.read(held)).state).toBe('waiting');
    await pause(world.router, 'unpause');
    later = 60_000;
    await bench.untilState([held], 'final');
    expect((await chain.health()).trouble).toBeNull();
    await bench.expectPulledOnce(held, fine);
  });
});

const routers = new Routers(1, [
  '0x00000000000000000000000000000000000000aa',
  '0x00000000000000000000000000000000000000bb',
]);
const [newest = '', first = ''] = routers.all;

describe('a batch', () => {
  const charge = (from: string, router: string): ChargeDoc =>
    waitingCharge({ chainId: 1, token: 'usdc', merchant: 'm', platform: 'p' }, { from, router });

  it('has the charges of one router, in their order', () => {
    const [a, b, c, d] = [charge('a', first), charge('b', newest), charge('c', first), charge('d', newest)];
    const next = (queue: readonly ChargeDoc[]) => nextBatch(queue, new Set()).charges;
    expect(next([a, b, c, d])).toEqual([a, c]);
    expect(next([b, c, d, a])).toEqual([b, d]);
    expect(next([])).toEqual([]);
  });

  it('has either charges that ask contract wallets, or others', () => {
    const [a, b, c] = [charge('a', first), charge('b', first), charge('c', first)];
    const asking = new Set([b._id]);
    expect(nextBatch([a, b, c], asking)).toEqual({ charges: [a, c], asksWallets: false });
    expect(nextBatch([b, c, a], asking)).toEqual({ charges: [b], asksWallets: true });
  });

  it('has no more charges than half of a transaction that reverted, and none that was not in one', () => {
    const [a, b, c] = [charge('a', first), charge('b', first), charge('c', first)];
    const halves = [a, b, c].map((each) => ({ ...each, batchMax: 2 }));
    const sound = charge('d', first);
    expect(nextBatch([...halves, sound], new Set()).charges).toEqual(halves.slice(0, 2));
    expect(nextBatch([sound, ...halves], new Set()).charges).toEqual([sound]);
  });

  it('has no charge that names no router', () => {
    const { router: _, ...nameless } = charge('a', first);
    expect(() => nextBatch([nameless], new Set())).toThrow(`charge ${nameless._id} names no router`);
  });
});

describe('a consent that names no router', () => {
  it('is of the oldest one', () => {
    const consent = { isBounded: false, router: null };
    expect(routers.ofConsent(consent)).toBe(first);
    expect(() => new Routers(1, []).ofConsent(consent)).toThrow('no router is configured');
  });
});
