import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { Bench } from '../evm/bench.ts';
import { approveMandates, type MandatePayer, mandateBy, mandateCharge, mandatePayer } from '../evm/signed-mandates.ts';
import { startWorld, type World } from '../evm/world.ts';
import { evmPlaygroundOn } from './evm-playground.ts';
import { failureReasonsContract } from './failure-reasons.ts';
import type { PlayBench, Playground } from './playground.ts';

/** Charges are under mandates: each has its own, which allows exactly its amount and its recipients. */
class MandateBench extends Bench implements PlayBench {
  readonly #mandates: readonly MandateDoc[];

  constructor(world: World, mandates: readonly MandateDoc[]) {
    super(world);
    this.#mandates = mandates;
  }

  play(wish: Parameters<PlayBench['play']>[0] = {}) {
    return this.chain(wish);
  }

  override async charge(...charges: ChargeDoc[]): Promise<void> {
    await this.records.insert('mandates', this.#mandates);
    await super.charge(...charges);
  }
}

async function mandatePlayground(): Promise<Playground> {
  const world = await startWorld();
  const payers = new Map<string, MandatePayer>();
  const mandates: MandateDoc[] = [];
  const payerOf = (wallet: string): MandatePayer => {
    const payer = payers.get(wallet);
    if (payer === undefined) throw new Error(`${wallet} signs no mandates`);
    return payer;
  };
  return {
    ...evmPlaygroundOn(world),
    bench: () => new MandateBench(world, mandates),
    async payer(_, grant = {}) {
      const payer = await mandatePayer(world, grant);
      payers.set(payer.address, payer);
      return payer.address;
    },
    approve: (wallet, _, amount) => approveMandates(world, payerOf(wallet), amount),
    charge(wish) {
      const { shares = [], gross = 0n } = wish;
      const to = (role: string) => shares.flatMap(([each, address]) => (each === role ? [address] : []));
      const platform = to('platform')[0] ?? '';
      const payees = [...to('forward'), ...to('split')];
      const limits = { perCharge: String(gross), platform, payees, feeBps: 1_000 };
      const mandate = mandateBy(world, payerOf(wish.from), limits);
      mandates.push(mandate);
      return mandateCharge(world, mandate, 1, { shares, gross });
    },
    async pulls(wallet) {
      return (await world.transfers()).filter(({ from, to }) => from === wallet && to !== world.owner);
    },
  };
}

describe('an EVM chain, under mandates', () => {
  let ground: Playground;
  let bench: PlayBench;
  beforeAll(async () => {
    ground = await mandatePlayground();
  });
  beforeEach(() => {
    bench = ground.bench();
  });
  afterEach(() => bench.stop());
  afterAll(() => ground?.stop());

  failureReasonsContract({ ground: () => ground, opened: () => bench });
});
