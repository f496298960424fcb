import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SetAside } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

/** What one charge takes. */
const CHARGE = 10_000_000n;

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  stopPump();
  stopPump = () => {};
  await bench?.stop();
});
afterAll(async () => {
  await world?.stop();
});

async function started(wish: Parameters<Bench['chain']>[0] = {}): Promise<Bench> {
  bench = new Bench(world);
  await bench.chain(wish).start();
  return bench;
}

function aside(sure: bigint, change: Partial<SetAside> = {}): SetAside {
  return { sure, unsure: 0n, paymentIds: new Set(), ...change };
}

function payer(charges: bigint): Promise<string> {
  return world.payer('mrc_a', { allowance: charges * CHARGE });
}

async function pulls(from: string): Promise<number> {
  return (await world.transfers()).filter((transfer) => transfer.from === from).length;
}

const SHORT = [{ kind: 'refused', reason: 'insufficient_allowance', landed: false }];

describe('a charge that simulation would make', () => {
  it('is refused where others come before it, costs nothing, and keeps nobody else', async () => {
    await started();
    stopPump = world.pump();
    const from = await payer(1n);
    const later = waitingCharge(world, { from });
    const first = waitingCharge(world, { from });
    bench.listener.sets = (charge) => aside(charge._id === later._id ? CHARGE : 0n);
    await bench.charge(later, first);
    await bench.untilState([first], 'final');
    expect(bench.listener.of(later)).toEqual(SHORT);
    expect((await bench.read(later)).state).toBe('refused');
    expect(bench.listener.started).toEqual([first._id]);
    expect(await pulls(from)).toBe(1);
  });

  it('waits for what is in flight beside it where that decides, and is made when it has landed and there is enough', async () => {
    await started();
    const from = await payer(3n);
    const one = waitingCharge(world, { from });
    const other = waitingCharge(world, { from });
    bench.listener.sets = (charge) => aside(charge._id === other._id ? CHARGE : 0n, { unsure: CHARGE });
    await bench.charge(one);
    await bench.untilState([one], 'sent');
    await bench.charge(other);
    // Made at once if what is in flight were not counted; refused if it were counted as taken for good.
    await bench.until('it was put back', async () => (await bench.read(other)).notBefore > other.notBefore);
    expect(bench.listener.kinds(other)).toEqual([]);
    bench.listener.sets = () => aside(CHARGE);
    stopPump = world.pump();
    await bench.untilState([one, other], 'final');
    expect(await pulls(from)).toBe(2);
  });

  it('is refused when what was in flight has taken too much', async () => {
    await started();
    const from = await payer(2n);
    const one = waitingCharge(world, { from });
    const other = waitingCharge(world, { from });
    bench.listener.sets = () => aside(CHARGE);
    await bench.charge(one);
    await bench.untilState([one], 'sent');
    await bench.charge(other);
    await bench.until('it was put back', async () => (await bench.read(other)).notBefore > other.notBefore);
    stopPump = world.pump();
    await bench.untilState([other], 'refused');
    expect(bench.listener.of(other)).toEqual(SHORT);
    await bench.untilState([one], 'final');
  });

  it('counts a charge in flight once, where something is set aside for it already', async () => {
    await started();
    const from = await payer(2n);
    const one = waitingCharge(world, { from });
    const other = waitingCharge(world, { from });
    await bench.charge(one);
    await bench.untilState([one], 'sent');
    bench.listener.sets = () => aside(CHARGE, { paymentIds: new Set([one.paymentId]) });
    await bench.charge(other);
    await bench.untilState([other], 'sent');
    stopPump = world.pump();
    await bench.untilState([one, other], 'final');
  });

  it('shares one batch with others of its payer only as far as all of them leave enough', async () => {
    await started();
    const from = await payer(3n);
    const charges = [1, 2, 3].map(() => waitingCharge(world, { from }));
    bench.listener.sets = () => aside(CHARGE);
    stopPump = world.pump();
    await bench.charge(...charges);
    await bench.untilState(charges, 'final', 'refused');
    expect(await states(charges)).toEqual(['final', 'final', 'refused']);
    expect(await pulls(from)).toBe(2);
  });

  it('takes no turn with others of its payer in another lane', async () => {
    await started({ senders: 2 });
    const from = await payer(4n);
    const charges = Array.from({ length: 8 }, () => waitingCharge(world, { from }));
    bench.listener.sets = () => aside(CHARGE);
    stopPump = world.pump();
    await bench.charge(...charges);
    await bench.untilState(charges, 'final', 'refused');
    expect((await states(charges)).filter((state) => state === 'final')).toHaveLength(3);
  });

  it('waits while nobody can tell what is set aside', async () => {
    await started();
    stopPump = world.pump();
    const from = await payer(1n);
    const charge = waitingCharge(world, { from });
    bench.listener.sets = () => null;
    await bench.charge(charge);
    await bench.until('it was put back', async () => (await bench.read(charge)).notBefore > charge.notBefore);
    expect(bench.listener.kinds(charge)).toEqual([]);
    bench.listener.sets = () => aside(0n);
    await bench.untilState([charge], 'final');
  });

  it('is not reckoned with where the allowance has no limit', async () => {
    await started();
    stopPump = world.pump();
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    bench.listener.sets = () => {
      throw new Error('nobody was to be asked');
    };
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
  });
});

async function states(charges: readonly ChargeDoc[]): Promise<string[]> {
  const docs = await Promise.all(charges.map((charge) => bench.read(charge)));
  return docs.map(({ state }) => state).sort();
}
