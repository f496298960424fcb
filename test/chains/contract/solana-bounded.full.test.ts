import { chargeIdOf } from '../../../src/chains/charges.ts';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import type { ChargeDoc, ChargeShare, MandateDoc } from '../../../src/store/collections.ts';
import { SolanaBench } from '../solana/bench.ts';
import { signedMandate } from '../solana/signed-mandates.ts';
import { SolanaTestWorld } from '../solana/world.ts';
import { useBench } from '../support/bench.ts';
import type { ChargeWish } from '../support/world.ts';
import { chainContract } from './suite.ts';

/** Each charge is under a mandate of its own, which allows exactly its amount and its recipients. */
class MandateBench extends SolanaBench {
  readonly #mandates = new Map<string, MandateDoc>();

  override async charge(...charges: ChargeDoc[]): Promise<void> {
    const mandates = charges.flatMap(({ key }) => this.#mandates.get(key) ?? []);
    await this.records.insert('mandates', mandates);
    await super.charge(...charges);
  }

  override chargeOf(wish: ChargeWish): ChargeDoc {
    const charge = super.chargeOf(wish);
    const { from, merchantId, token, gross, shares } = charge;
    const [payees, [platform = this.world.platform]] = [recipients(shares, false), recipients(shares, true)];
    const terms = { merchantId, token, perCharge: gross, interval: 0, feeBps: 10_000, platform, payees };
    const mandate = this.#mandates.get(charge.key) ?? signedMandate(this.world, from, terms);
    const key = mandateKey(mandate.agreement, 1);
    this.#mandates.set(key, mandate);
    const _id = chargeIdOf(key, charge.attempt, 0);
    return { ...charge, _id, key, paymentId: `pay_${key}`, mandate: { id: mandate._id, cycle: 1 } };
  }
}

function recipients(shares: readonly ChargeShare[], isPlatform: boolean): string[] {
  return shares.filter(({ role }) => (role === 'platform') === isPlatform).map(({ to }) => to);
}

describe('Solana, under mandates', () => {
  const world = new SolanaTestWorld({ isBounded: true });
  chainContract(useBench(new MandateBench(world), { pumps: true }));
});
