import { getAddress, id, Wallet } from 'ethers';
import fc from 'fast-check';
import { z } from 'zod';
import { BUCKET_S } from '../../../machines/rules/thirty-days.ts';
import { parseChargeLogs } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { type Mandate, mandateHash } from '../../../src/chains/evm/contracts/mandates.ts';
import { encodeChargeMany, merchantSalt, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import {
  type AgreementState,
  isCycleSeen,
  type MandateVerdict,
  MOST_AHEAD,
  NOTHING_CHARGED,
  REVOKED,
  underMandate,
} from '../../../src/chains/mandate-rules.ts';
import { SimEvm } from '../../../tools/simulate/evm/node.ts';

const START = 1_800_000_000;
const DAY = 86_400;
const AHEAD = Number(MOST_AHEAD);
/** An announcement that no charge has used lapses after it (`ANNOUNCEMENT_LAPSE` of the router). */
const LAPSE = 90 * DAY;
const MERCHANT = merchantSalt('mrc_a', 'test');
const SPENDER = { merchantId: 'mrc_a', isBounded: true };
const PLENTY = 2n ** 255n;

const PAYER = new Wallet(id('the payer of the mandates'));
const SOMEBODY = new Wallet(id('somebody else'));
const PAYEES = [0, 1, 2].map((index) => getAddress(id(`payee ${index}`).slice(0, 42)));
const AGREEMENTS = [0, 1].map((index) => id(`agreement ${index}`));
/** Cycles whose neighbours are in one window of charged cycles, and out of it. */
const CYCLES = [0, 1, 2, 3, 4, 33, 34, 35, 66];

/** Every rule that a charge can break. */
const RULES: readonly MandateVerdict['kind'][] = [
  'bad_signature',
  'revoked',
  'superseded',
  'too_early',
  'too_late',
  'two_rhythms',
  'ahead_of_rhythm',
  'used_up',
  'above_per_charge',
  'above_per_30_days',
  'above_fee',
  'not_payee',
  'cycle_out_of_range',
  'seen',
];

/** Seconds and months; mostly none, and once both. */
const RHYTHMS = [
  ...Array.from({ length: 4 }, () => [0, 0]),
  ...[1, 3, AHEAD, 30 * DAY].map((seconds) => [seconds, 0]),
  [0, 1],
  [0, 12],
  [3, 1],
] as const;

const rhythm = fc.constantFrom(...RHYTHMS).map(([interval = 0, months = 0]) => ({ interval, months }));

/** More and less than a charge can be, and mostly none. */
const perThirtyDays = fc
  .constantFrom(null, null, 50n, 90n)
  .map((per30Days) => (per30Days === null ? {} : { per30Days }));

const limits = fc.record({
  payer: fc.constant(PAYER.address),
  merchant: fc.constant(MERCHANT),
  perCharge: fc.constantFrom(150n, 150n, 60n),
  charges: fc.constantFrom(0, 0, 0, 1, 2, 3),
  start: fc.oneof({ weight: 3, arbitrary: fc.constant(START - 20) }, fc.integer({ min: START, max: START + 12 })),
  end: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: START, max: START + 25 })),
  issuedAt: fc.constantFrom(1, 1, 1, 2, 3, 0, Number(REVOKED)),
  platform: fc.constantFrom(...PAYEES.slice(2), ...PAYEES.slice(2), ...PAYEES.slice(0, 1)),
  feeBps: fc.constantFrom(10_000, 5_000, 100),
  payees: fc.constantFrom(PAYEES.slice(0, 1), PAYEES.slice(0, 2), []),
  agreement: fc.constantFrom(...AGREEMENTS.slice(0, 1), ...AGREEMENTS),
  terms: fc.constantFrom(id('terms'), id('other terms')),
});

const mandate: fc.Arbitrary<Omit<Mandate, 'token'>> = fc
  .tuple(limits, rhythm, perThirtyDays)
  .map(([signed, every, within]) => ({ ...signed, ...every, ...within }));

interface Charge {
  readonly does: 'charge';
  readonly mandate: Omit<Mandate, 'token'>;
  readonly cycle: number;
  readonly shares: readonly (readonly [to: string, amount: bigint])[];
  readonly isSigned: boolean;
}

type Step = { readonly wait: number } & (
  | Charge
  | { readonly does: 'revoke'; readonly agreement: string }
  | { readonly does: 'announcePayee' | 'withdrawPayee'; readonly payee: string }
);

const steps: fc.Arbitrary<Step[]> = fc.array(mandate, { minLength: 2, maxLength: 4 }).chain((mandates) => {
  const wait = fc.oneof(
    { weight: 12, arbitrary: fc.constant(1) },
    fc.constantFrom(
      2,
      5,
      BUCKET_S - 1,
      BUCKET_S,
      8 * BUCKET_S,
      9 * BUCKET_S,
      AHEAD,
      22 * DAY - 1,
      22 * DAY,
      22 * DAY + 1,
      30 * DAY,
      365 * DAY,
    ),
  );
  const payee = fc.constantFrom(...PAYEES);
  const charge = fc.record({
    wait,
    does: fc.constant('charge' as const),
    mandate: fc.constantFrom(...mandates),
    cycle: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.constantFrom(...CYCLES)),
    shares: fc.array(fc.tuple(payee, fc.bigInt({ min: 1n, max: 60n })), { minLength: 1, maxLength: 3 }),
    isSigned: fc.oneof({ weight: 10, arbitrary: fc.constant(true) }, fc.constant(false)),
  });
  const revoke = fc.record({ wait, does: fc.constant('revoke' as const), agreement: fc.constantFrom(...AGREEMENTS) });
  const announce = fc.record({ wait, does: fc.constantFrom('announcePayee', 'withdrawPayee'), payee });
  const step = fc.oneof({ weight: 12, arbitrary: charge }, { weight: 1, arbitrary: revoke }, announce);
  return fc.array(step, { minLength: 6, maxLength: 16 });
});

/** The router's real code, and the state that the rules in TypeScript expect of it. */
class Comparison {
  readonly #sim: SimEvm;
  readonly #clock: { now: number };
  readonly #expected = new Map<string, AgreementState>();
  /** The announced payees, with the moment at which each lapses; infinite once a charge has paid it. */
  readonly #announced = new Map<string, number>();

  private constructor(sim: SimEvm, clock: { now: number }) {
    this.#sim = sim;
    this.#clock = clock;
  }

  static async begin(): Promise<Comparison> {
    const clock = { now: START };
    const sim = await SimEvm.open({ now: () => clock.now * 1_000, random: () => 0 });
    sim.mint(PAYER.address, PLENTY);
    sim.approve(PAYER.address, SPENDER, PLENTY);
    await sim.chain.mine();
    return new Comparison(sim, clock);
  }

  /** Does one step, and compares what comes of it. Returns the verdict on a charge. */
  async take(step: Step): Promise<MandateVerdict['kind'] | null> {
    this.#clock.now += step.wait;
    switch (step.does) {
      case 'charge':
        return this.#charge(step);
      case 'revoke': {
        await this.#act(PAYER.address, 'revoke', [MERCHANT, step.agreement]);
        this.#expected.set(step.agreement, { ...this.#stateOf(step.agreement), inForce: null, issuedAt: REVOKED });
        return null;
      }
      case 'announcePayee':
        await this.#act(this.#sender, step.does, [MERCHANT, step.payee]);
        if (!this.#isAnnounced(step.payee)) this.#announced.set(step.payee, this.#clock.now + LAPSE);
        return null;
      case 'withdrawPayee':
        await this.#act(this.#sim.world.owner, step.does, [MERCHANT, step.payee]);
        this.#announced.delete(step.payee);
        return null;
    }
  }

  async #charge({ mandate: signed, cycle, shares, isSigned }: Charge): Promise<MandateVerdict['kind']> {
    const { router, chainId, tokens } = this.#sim.world;
    const whole = { ...signed, token: tokens[0].address };
    const signature = (isSigned ? PAYER : SOMEBODY).signingKey.sign(mandateHash(chainId, router, whole)).serialized;
    const [to, amounts] = [shares.map(([payee]) => payee), shares.map(([, amount]) => amount)];
    const verdict = underMandate(this.#stateOf(whole.agreement), {
      mandate: whole,
      hash: mandateHash(chainId, router, whole),
      cycle: BigInt(cycle),
      shares: shares.map(([payee, amount]) => ({ to: payee, amount })),
      now: BigInt(this.#clock.now),
      isAnnounced: (payee) => this.#isAnnounced(payee),
      isSigned: () => isSigned,
    });
    if (verdict.kind === 'kept') {
      this.#expected.set(whole.agreement, verdict.state);
      this.#use(to.filter((payee) => payee !== whole.platform && !whole.payees.includes(payee)));
    }
    const data = encodeChargeMany([], [{ mandate: whole, signature, cycle, to, amounts }]);
    const [log] = parseChargeLogs(await this.#land(this.#sender, data), router);
    const decided = log?.kind === 'refused' ? withoutKey(log.reason) : { kind: log && 'kept' };
    expect(decided).toEqual(verdict.kind === 'kept' ? { kind: 'kept' } : verdict);
    return verdict.kind;
  }

  /** Compares what the router stores about each agreement. */
  async compareStates(): Promise<void> {
    for (const agreement of AGREEMENTS) {
      const state = this.#stateOf(agreement);
      const stored = await this.#view('agreementOf', [PAYER.address, MERCHANT, agreement]);
      expect([...stored]).toEqual([state.issuedAt, state.due, state.count, state.last]);
      for (const cycle of CYCLES) {
        const seen = await this.#view('cycleSeen', [PAYER.address, MERCHANT, agreement, cycle]);
        expect([...seen]).toEqual([isCycleSeen(state, BigInt(cycle))]);
      }
    }
  }

  #isAnnounced(payee: string): boolean {
    return this.#clock.now <= (this.#announced.get(payee) ?? 0);
  }

  #use(payees: readonly string[]): void {
    for (const payee of payees) this.#announced.set(payee, Number.POSITIVE_INFINITY);
  }

  get #sender(): string {
    return this.#sim.world.senders[0] ?? '';
  }

  #stateOf(agreement: string): AgreementState {
    return this.#expected.get(agreement) ?? NOTHING_CHARGED;
  }

  async #view(name: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const call = { to: this.#sim.world.router, data: routerInterface.encodeFunctionData(name, values) };
    return routerInterface.decodeFunctionResult(name, String(await this.#sim.ask('eth_call', [call, 'latest'])));
  }

  async #act(from: string, name: string, values: readonly unknown[]): Promise<void> {
    await this.#land(from, routerInterface.encodeFunctionData(name, values));
  }

  /** The logs of a call that is in a block when it returns. */
  async #land(from: string, data: string) {
    const hash = this.#sim.act(from, this.#sim.world.router, data);
    await this.#sim.chain.mine();
    const { status, logs } = receipt.parse(await this.#sim.ask('eth_getTransactionReceipt', [hash]));
    expect(status).toBe('0x1');
    return logs;
  }
}

const receipt = z.object({
  status: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

/** The router's reason names the key of a charge that was seen, which the rules do not know. */
function withoutKey(reason: object): object {
  return Object.fromEntries(Object.entries(reason).filter(([name]) => name !== 'key'));
}

describe('the rules of mandates in TypeScript', () => {
  it('decide as the router does, and expect what it stores', async () => {
    const reached = new Set<string | null>();
    const property = fc.asyncProperty(steps, async (list) => {
      const comparison = await Comparison.begin();
      for (const step of list) reached.add(await comparison.take(step));
      await comparison.compareStates();
    });
    await fc.assert(property, { seed: 20_261_132, numRuns: 60 });
    expect([...RULES, 'kept'].filter((kind) => !reached.has(kind))).toEqual([]);
  });
});
