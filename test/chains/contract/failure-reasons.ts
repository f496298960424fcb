import type { FailureReason } from '../../../machines/effects.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { ChainBench } from '../support/bench.ts';
import { onceAt } from '../support/faults.ts';
import type { ChainWorld } from '../support/world.ts';

/** A condition that makes a charge fail, and the fact that its payment gets. */
interface Condition {
  /** Causes the condition for a charge that would succeed. */
  readonly spoil: (world: ChainWorld, charge: ChargeDoc) => Promise<void>;
  /** The share that cannot be delivered; null: the pull fails. */
  readonly role: ShareRole | null;
}

const refusedShare = (role: ShareRole): Condition => ({
  role,
  async spoil(world, charge) {
    const share = charge.shares.find((each) => each.role === role);
    await world.refuse(share?.to ?? '');
  },
});

/** The closed list of the reference: a reason without a condition does not compile. */
const CONDITIONS: Readonly<Record<FailureReason, Condition>> = {
  insufficient_allowance: { role: null, spoil: (world, { from }) => world.approve(from, 'mrc_a', 9n) },
  insufficient_balance: { role: null, spoil: (world, { from }) => world.transfer(from, world.merchant, 991n) },
  pull_reverted: { role: null, spoil: (world, { from }) => world.freeze(from) },
  forward_reverted: refusedShare('forward'),
  platform_transfer_reverted: refusedShare('platform'),
  distribute_reverted: refusedShare('split'),
};

const REASONS = Object.entries(CONDITIONS);

/** Every failure reason from its real condition on a real chain: seen by simulation, and by a landed transaction. */
export function failureReasonsContract(bench: ChainBench): void {
  const { world } = bench;

  /** A charge of 10 base units with a share of each role; its payer has 1,000. */
  async function newCharge(): Promise<ChargeDoc> {
    return bench.chargeOf({
      from: await world.payer('mrc_a', { balance: 1_000n }),
      gross: 10n,
      shares: [
        ['forward', world.stranger(), 7n],
        ['platform', world.stranger(), 1n],
        ['split', world.stranger(), 2n],
      ],
    });
  }

  async function expectNothingMoved(charge: ChargeDoc): Promise<void> {
    await bench.expectNothingPulled(charge);
    const got = await Promise.all(charge.shares.map(({ to }) => world.balanceOf(to)));
    expect(got).toEqual([0n, 0n, 0n]);
  }

  describe.each(REASONS)('the failure reason %s', (reason, { spoil, role }) => {
    it('is the result of the simulation if the condition exists before, and nothing is signed', async () => {
      const bad = await newCharge();
      await spoil(world, bad);
      await bench.start();
      await bench.refuse(bad);
      const fact = role ? { kind: 'undeliverable', reason } : { kind: 'refused', reason, landed: false };
      expect(bench.listener.of(bad)).toEqual([fact]);
      expect(bench.listener.started).toEqual([]);
      expect(await bench.read(bad)).toMatchObject({ reason, txHash: null });
      await expectNothingMoved(bad);
    });

    it('is reported for a real revert when it is final, if the condition came between check and pull', async () => {
      const bad = await newCharge();
      await bench.start({ fault: onceAt('sender.stored.before', () => spoil(world, bad)) });
      await bench.refuse(bad);
      const fact = role ? { kind: 'undeliverable', reason } : { kind: 'refused', reason, landed: true };
      expect(bench.listener.of(bad)).toEqual([fact]);
      expect(bench.listener.started).toEqual([bad._id]);
      expect(await bench.read(bad)).toMatchObject({ reason, txHash: expect.any(String), block: expect.any(Object) });
      await expectNothingMoved(bad);
    });
  });
}
