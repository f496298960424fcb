import { Reverts, Troubles } from '../../../src/chains/context.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { mandateCharge } from '../support/mandates.ts';
import { useEvm } from './bench.ts';
import {
  burn,
  burningPayer,
  contractPayer,
  type MandatePayer,
  mandatePayer,
  signedMandate,
} from './signed-mandates.ts';

const { world, bench } = useEvm({ pumps: true, perTest: true });

async function chargeOf(payer: MandatePayer, change: Partial<MandateDoc> = {}): Promise<ChargeDoc> {
  return mandateCharge(world, await signedMandate(world, bench.records, payer, { interval: 0, ...change }));
}

function hostileCharge(payer: MandatePayer): Promise<ChargeDoc> {
  return chargeOf(payer, { signedByContract: true });
}

async function all<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make());
  return made;
}

const honestCharge = async () => chargeOf(await mandatePayer(world));

/** None of the charges was ever in a transaction that reverted as a whole. */
async function expectNeverReleased(charges: readonly ChargeDoc[]): Promise<void> {
  const found = await Promise.all(charges.map((charge) => bench.read(charge)));
  expect(found.map(({ releases = 0 }) => releases)).toEqual(charges.map(() => 0));
}

describe('contract wallets that agree in simulations and burn gas in transactions', () => {
  it('are found out by a simulation with the price of gas, and stop nobody', async () => {
    const hostile = await all(8, async () => hostileCharge(await burningPayer(world)));
    const honest = await all(20, honestCharge);
    await bench.charge(...hostile.slice(0, 4), ...honest, ...hostile.slice(4));
    await bench.start();
    await bench.untilState(honest, 'final');
    await bench.untilState(hostile, 'refused');
    await expectNeverReleased(honest);
    expect(await bench.transactions({ chargeIds: { in: hostile.map(({ _id }) => _id) } })).toEqual([]);
  });

  it('burn no gas but their own if a simulation cannot find them out', async () => {
    const wallets = await all(3, () => burningPayer(world, { burns: false }));
    const hostile = await Promise.all(wallets.map(hostileCharge));
    const wallet = await chargeOf(await contractPayer(world), { signedByContract: true });
    const honest = await all(5, honestCharge);
    world.hold();
    await bench.start();
    await bench.send(...hostile, wallet, ...honest);
    for (const each of wallets) await burn(world, each);
    world.pump();
    await bench.untilState([...honest, wallet], 'final');
    await bench.untilState(hostile, 'refused');
    await expectNeverReleased([...honest, wallet]);
    const [{ txHash } = { txHash: null }] = await Promise.all(hostile.map((charge) => bench.read(charge)));
    expect(txHash).not.toBeNull();
  });

  it('fail without a transaction for a day, once three charges of theirs have wasted gas', async () => {
    const payer = await burningPayer(world, { burns: false });
    const charge = await hostileCharge(payer);
    const refusal = { kind: 'bad_signature', text: "the signature is not the payer's" };
    const txHash = `0x${'1'.repeat(64)}`;
    const landed = { state: 'refused', txHash, reason: 'insufficient_allowance', refusal } as const;
    const wasted = [2, 3, 4].map((attempt) => ({ ...charge, _id: `${charge.key}:${attempt}`, attempt, ...landed }));
    await bench.records.insert('charges', wasted);
    await bench.start();
    await bench.refuse(charge);
    expect((await bench.read(charge)).refusal).toMatchObject({ kind: 'wasted_gas' });
    expect(await bench.transactions()).toEqual([]);
    const other = await hostileCharge(await burningPayer(world, { burns: false }));
    const poor = wasted.map((each) => ({
      ...{ ...each, _id: `${other.key}:${each.attempt}`, key: other.key, from: other.from },
      refusal: { kind: 'share_pull_failed', text: 'the balance is too small' },
    }));
    await bench.records.insert('charges', poor);
    await bench.settle(other);
  });
});

describe('a transaction that reverts as a whole', () => {
  it('is made again in halves', async () => {
    const charges = await all(4, honestCharge);
    world.hold();
    await bench.start();
    await bench.send(...charges);
    const data = routerInterface.encodeFunctionData('setGasBudget', [6_000_000, 80_000]);
    const first = {
      from: world.owner,
      to: world.router,
      data,
      maxFeePerGas: '0xe8d4a51000',
      maxPriorityFeePerGas: '0x174876e800',
    };
    await world.rpc('eth_sendTransaction', [first]);
    world.pump();
    await bench.untilState(charges, 'final');
    const sizes = (await bench.transactions()).map(({ chargeIds }) => chargeIds.length);
    expect(sizes).toEqual([4, 2, 2]);
    for (const { from } of charges) expect(await world.movedFrom(from)).toHaveLength(2);
  });

  it('is a trouble from the second one on, until one does not revert', () => {
    const troubles = new Troubles();
    const reverts = new Reverts(troubles);
    const saw = (reverted: boolean) => {
      reverts.saw({ reverted, txHash: '0xab' });
      return [reverts.inARow, troubles.sentence] as const;
    };
    expect(saw(true)).toEqual([1, null]);
    expect(saw(true)).toEqual([2, expect.stringContaining('2 transactions in a row have reverted as a whole')]);
    expect(saw(false)).toEqual([0, null]);
  });
});
