import type { Reserved } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import type { ChainBench } from '../support/bench.ts';

/** The amount of one charge. */
const CHARGE = 10_000_000n;

const SHORT = [{ kind: 'refused', reason: 'insufficient_allowance', landed: false }];

function reserved(sure: bigint, change: Partial<Reserved> = {}): Reserved {
  return { sure, unsure: 0n, paymentIds: new Set(), ...change };
}

/** The reserve that a charge must leave in its payer's allowance (docs/rules.md, "Operators, consent, allowances"). */
export function reservesContract(bench: ChainBench): void {
  const { world } = bench;
  const payer = (charges: bigint): Promise<string> => world.payer('mrc_a', { allowance: charges * CHARGE });
  const pulls = async (from: string): Promise<number> => (await world.pulls(from)).length;

  async function untilPutBack(charge: ChargeDoc): Promise<void> {
    await bench.until('it was put back', async () => (await bench.read(charge)).notBefore > charge.notBefore);
  }

  describe('a charge that would succeed alone, behind reserves of others', () => {
    it('is refused if it leaves too little, costs nothing, and does not block others', async () => {
      await bench.start();
      const from = await payer(1n);
      const first = bench.chargeOf({ from });
      // Checked before the other one: simulation would accept it.
      const later = { ...bench.chargeOf({ from }), notBefore: new Date(0) };
      bench.listener.sets = (charge) => reserved(charge._id === later._id ? CHARGE : 0n);
      await bench.charge(later, first);
      await bench.untilState([first], 'final');
      await bench.untilState([later], 'refused');
      expect(bench.listener.of(later)).toEqual(SHORT);
      expect(bench.listener.started).toEqual([first._id]);
      expect(await pulls(from)).toBe(1);
    });

    it('is made without a look at each claim if all together leave enough, else after one', async () => {
      await bench.start();
      const [one, other] = [bench.chargeOf({ from: await payer(2n) }), bench.chargeOf({ from: await payer(1n) })];
      bench.listener.sets = ({ _id }, precision) => {
        if (_id === one._id) return precision === 'exact' ? null : reserved(CHARGE);
        return reserved(precision === 'exact' ? 0n : CHARGE);
      };
      await bench.settle(one, other);
    });

    it('waits for charges in flight if they decide, and is made when they have landed and enough is left', async () => {
      await bench.start();
      const from = await payer(3n);
      const [one, other] = [bench.chargeOf({ from }), bench.chargeOf({ from })];
      bench.listener.sets = (charge) => reserved(charge._id === other._id ? CHARGE : 0n, { unsure: CHARGE });
      world.hold();
      await bench.send(one);
      await bench.charge(other);
      // Without the charge in flight it would be made at once; with that charge counted as settled it would be refused.
      await untilPutBack(other);
      expect(bench.listener.kinds(other)).toEqual([]);
      bench.listener.sets = () => reserved(CHARGE);
      world.pump();
      await bench.untilState([one, other], 'final');
      expect(await pulls(from)).toBe(2);
    });

    it('is refused if the charges in flight took too much', async () => {
      await bench.start();
      const from = await payer(2n);
      const [one, other] = [bench.chargeOf({ from }), bench.chargeOf({ from })];
      bench.listener.sets = () => reserved(CHARGE);
      world.hold();
      await bench.send(one);
      await bench.charge(other);
      await untilPutBack(other);
      world.pump();
      await bench.untilState([other], 'refused');
      expect(bench.listener.of(other)).toEqual(SHORT);
      await bench.untilState([one], 'final');
    });

    it('counts a charge in flight once, even if it is already reserved', async () => {
      await bench.start();
      const from = await payer(2n);
      const [one, other] = [bench.chargeOf({ from }), bench.chargeOf({ from })];
      world.hold();
      await bench.send(one);
      bench.listener.sets = () => reserved(CHARGE, { paymentIds: new Set([one.paymentId]) });
      await bench.send(other);
      world.pump();
      await bench.untilState([one, other], 'final');
    });

    it('is made together with others of its payer only as far as all of them leave enough', async () => {
      await bench.start();
      const from = await payer(3n);
      const charges = [1, 2, 3].map(() => bench.chargeOf({ from }));
      bench.listener.sets = () => reserved(CHARGE);
      await bench.charge(...charges);
      await bench.untilState(charges, 'final', 'refused');
      expect(await bench.statesOf(charges)).toEqual(['final', 'final', 'refused']);
      expect(await pulls(from)).toBe(2);
    });

    it('is not mixed with others of its payer in another signing queue', async () => {
      await bench.start({ senders: 2 });
      const from = await payer(4n);
      const charges = Array.from({ length: 8 }, () => bench.chargeOf({ from }));
      bench.listener.sets = () => reserved(CHARGE);
      await bench.charge(...charges);
      await bench.untilState(charges, 'final', 'refused');
      expect((await bench.statesOf(charges)).filter((state) => state === 'final')).toHaveLength(3);
    });

    it('waits while the reserve is unknown', async () => {
      await bench.start();
      const charge = bench.chargeOf({ from: await payer(1n) });
      bench.listener.sets = () => null;
      await bench.charge(charge);
      await untilPutBack(charge);
      expect(bench.listener.kinds(charge)).toEqual([]);
      bench.listener.sets = () => reserved(0n);
      await bench.untilState([charge], 'final');
    });

    it('needs no reserve if the allowance has no limit', async () => {
      await bench.start();
      const charge = await bench.newCharge();
      bench.listener.sets = () => {
        throw new Error('nobody was to be asked');
      };
      await bench.settle(charge);
    });
  });
}
