import { mandateOperatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { EvmBench } from '../evm/bench.ts';
import { type MandatePayer, mandateBy, mandatePayer } from '../evm/signed-mandates.ts';
import { EvmWorld } from '../evm/world.ts';
import { useBench } from '../support/bench.ts';
import { mandateCharge } from '../support/mandates.ts';
import type { ChargeWish, Grant } from '../support/world.ts';
import { failureReasonsContract } from './failure-reasons.ts';

/** Payers approve the mandate operator, and sign. */
class MandateWorld extends EvmWorld {
  readonly #payers = new Map<string, MandatePayer>();

  override async payer(_: string, grant: Grant = {}): Promise<string> {
    const payer = await mandatePayer(this, grant);
    this.#payers.set(payer.address, payer);
    return payer.address;
  }

  payerOf(wallet: string): MandatePayer {
    const payer = this.#payers.get(wallet);
    if (payer === undefined) throw new Error(`${wallet} signs no mandates`);
    return payer;
  }

  override approve(wallet: string, merchantId: string, amount: bigint): Promise<void> {
    return this.approveOperator(wallet, mandateOperatorAddress(this.router, merchantId, 'test'), amount);
  }

  /** A charge under a mandate is paid straight to its recipients. */
  override async pulls(wallet: string) {
    return (await this.movedFrom(wallet)).filter(({ to }) => to !== this.merchant);
  }
}

/** Each charge is under a mandate of its own, which allows exactly its amount and its recipients. */
class MandateBench extends EvmBench {
  readonly #world: MandateWorld;
  readonly #mandates: MandateDoc[] = [];

  constructor(world: MandateWorld) {
    super(world);
    this.#world = world;
  }

  override async charge(...charges: ChargeDoc[]): Promise<void> {
    await this.records.insert('mandates', this.#mandates);
    await super.charge(...charges);
  }

  override chargeOf({ from, shares = [], gross = 0n }: ChargeWish): ChargeDoc {
    const to = (role: string) => shares.flatMap(([each, address]) => (each === role ? [address] : []));
    const [[platform = ''], payees] = [to('platform'), [...to('forward'), ...to('split')]];
    const limits = { perCharge: String(gross), platform, payees, feeBps: 1_000 };
    const mandate = mandateBy(this.#world, this.#world.payerOf(from), limits);
    this.#mandates.push(mandate);
    return mandateCharge(this.#world, mandate, 1, { shares, gross });
  }
}

describe('an EVM chain, under mandates', () => {
  failureReasonsContract(useBench(new MandateBench(new MandateWorld()), { pumps: true }));
});
