import type { FailureReason } from '../../../machines/effects.ts';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { PlayBench, Playground } from './playground.ts';

/** A condition that makes a charge fail, and the fact that its payment gets. */
interface Condition {
  /** Causes the condition for a charge that would succeed. */
  readonly spoil: (ground: Playground, charge: ChargeDoc) => Promise<void>;
  /** The share that cannot be delivered; null: the pull fails. */
  readonly role: ShareRole | null;
}

const refusedShare = (role: ShareRole): Condition => ({
  role,
  async spoil(ground, charge) {
    const share = charge.shares.find((each) => each.role === role);
    await ground.refuse(share?.to ?? '');
  },
});

/** The closed list of the reference: a reason without a condition does not compile. */
const CONDITIONS: Readonly<Record<FailureReason, Condition>> = {
  insufficient_allowance: { role: null, spoil: (ground, { from }) => ground.approve(from, 'mrc_a', 9n) },
  insufficient_balance: { role: null, spoil: (ground, { from }) => ground.spend(from, 991n) },
  pull_reverted: { role: null, spoil: (ground, { from }) => ground.freeze(from) },
  forward_reverted: refusedShare('forward'),
  platform_transfer_reverted: refusedShare('platform'),
  distribute_reverted: refusedShare('split'),
};

const REASONS = Object.entries(CONDITIONS);

export interface FailureDeps {
  readonly ground: () => Playground;
  readonly opened: () => PlayBench;
}

/** Every failure reason from its real condition on a real chain: seen by simulation, and by a landed transaction. */
export function failureReasonsContract({ ground, opened }: FailureDeps): void {
  /** A charge of 10 base units with a share of each role; its payer has 1,000. */
  async function charge(): Promise<ChargeDoc> {
    const from = await ground().payer('mrc_a', { balance: 1_000n });
    return ground().charge({
      from,
      gross: 10n,
      shares: [
        ['forward', ground().stranger(), 7n],
        ['platform', ground().stranger(), 1n],
        ['split', ground().stranger(), 2n],
      ],
    });
  }

  async function expectNothingMoved({ from, shares }: ChargeDoc): Promise<void> {
    expect(await ground().pulls(from)).toEqual([]);
    const got = await Promise.all(shares.map(({ to }) => ground().balanceOf(to)));
    expect(got).toEqual([0n, 0n, 0n]);
  }

  describe.each(REASONS)('the failure reason %s', (reason, { spoil, role }) => {
    it('is the result of the simulation if the condition exists before, and nothing is signed', async () => {
      const bench = opened();
      const bad = await charge();
      await spoil(ground(), bad);
      await bench.play().start();
      await bench.charge(bad);
      await bench.untilState([bad], 'refused');
      const fact = role ? { kind: 'undeliverable', reason } : { kind: 'refused', reason, landed: false };
      expect(bench.listener.of(bad)).toEqual([fact]);
      expect(bench.listener.started).toEqual([]);
      expect(await bench.read(bad)).toMatchObject({ reason, txHash: null });
      await expectNothingMoved(bad);
    });

    it('is reported for a real revert when it is final, if the condition came between check and pull', async () => {
      const bench = opened();
      const bad = await charge();
      let spoilt = false;
      const fault = async (point: ChainFaultPoint): Promise<void> => {
        if (point !== 'sender.stored.before' || spoilt) return;
        spoilt = true;
        await spoil(ground(), bad);
      };
      await bench.play({ fault }).start();
      await bench.charge(bad);
      await bench.untilState([bad], 'refused');
      const fact = role ? { kind: 'undeliverable', reason } : { kind: 'refused', reason, landed: true };
      expect(bench.listener.of(bad)).toEqual([fact]);
      expect(bench.listener.started).toEqual([bad._id]);
      expect(await bench.read(bad)).toMatchObject({ reason, txHash: expect.any(String), block: expect.any(Object) });
      await expectNothingMoved(bad);
    });
  });
}
