import fc from 'fast-check';
import { divide } from '../../../machines/rules/money.ts';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { EvmBench } from '../evm/bench.ts';
import { EvmWorld } from '../evm/world.ts';
import { SolanaBench } from '../solana/bench.ts';
import { SolanaTestWorld } from '../solana/world.ts';
import { type ChainBench, useBench } from '../support/bench.ts';
import { FAULT_POINTS } from '../support/faults.ts';
import { note } from '../support/world.ts';

/**
 * Money is neither made nor lost (the reference's `platformAmount` and `merchantAmount`, docs/rules.md, "Money"). Over
 * random charges, fees, splits, refusals and errors at any point, the chain's own movements equal the requested ones,
 * to the base unit.
 */
const SEED = 20_260_728;
const RUNS = 5;
const RECIPIENTS = 5;
const MERCHANTS = ['mrc_a', 'mrc_b'] as const;

/** The outcome of a charge: it is made, its payer has no allowance, or one of its recipients refuses. */
type Outcome = 'pays' | 'no_allowance' | 'refused';

interface Draft {
  readonly gross: bigint;
  readonly feeBps: number;
  /** Recipient and hundredths of a percent. */
  readonly splits: readonly (readonly [recipient: number, hundredths: number])[];
  readonly to: number;
  readonly merchant: number;
  readonly outcome: Outcome;
}

const recipient = fc.integer({ min: 0, max: RECIPIENTS - 1 });

function draftOf(most: bigint): fc.Arbitrary<Draft> {
  return fc.record({
    gross: fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: most })),
    feeBps: fc.oneof(fc.constantFrom(0, 1, 100, 9_999, 10_000), fc.integer({ min: 0, max: 10_000 })),
    splits: fc.uniqueArray(fc.tuple(recipient, fc.integer({ min: 1, max: 2_000 })), {
      maxLength: 5,
      selector: ([to]) => to,
    }),
    to: recipient,
    merchant: fc.integer({ min: 0, max: 1 }),
    outcome: fc.oneof(
      { weight: 4, arbitrary: fc.constant('pays' as const) },
      fc.constantFrom('no_allowance', 'refused'),
    ),
  });
}

const BENCHES: readonly (readonly [title: string, bench: ChainBench, most: bigint])[] = [
  ['EVM, 6 decimals', new EvmBench(new EvmWorld({ decimals: 6 })), 10n ** 12n],
  ['EVM, 18 decimals', new EvmBench(new EvmWorld({ decimals: 18 })), 10n ** 24n],
  ['Solana, a mint of Token', new SolanaBench(new SolanaTestWorld({ ticker: 'USDC' })), 10n ** 12n],
  ['Solana, a mint of Token-2022', new SolanaBench(new SolanaTestWorld({ ticker: 'USDT' })), 10n ** 12n],
];

describe.each(BENCHES)('on %s', (_title, bench, most) => {
  const { world } = useBench(bench, { pumps: true });
  let payers: readonly string[];
  let poor: string;
  let recipients: readonly string[];
  let refuser: string;
  /** By payer, in all runs so far. */
  const spent = new Map<string, bigint>();

  beforeAll(async () => {
    payers = await Promise.all(MERCHANTS.map((id) => world.payer(id, { balance: most * 1_000n })));
    poor = await world.payer('mrc_a', { balance: most * 1_000n, allowance: 0n });
    recipients = Array.from({ length: RECIPIENTS }, () => world.stranger());
    refuser = world.stranger();
    await world.refuse(refuser);
  }, 120_000);

  function chargeOf({ gross, feeBps, splits, to, merchant, outcome }: Draft): ChargeDoc {
    const rows = splits.map(([who, share]) => {
      return { address: recipients[who] ?? '', percentage: (share / 100).toFixed(2) };
    });
    const parts = divide(gross, feeBps, rows);
    const shares = [
      ['forward', recipients[to] ?? '', parts.forward] as const,
      ['platform', world.platform, parts.platformAmount] as const,
      ...parts.splits.map(({ address, amount }) => ['split', address, amount] as const),
    ].filter(([, , amount]) => amount > 0n);
    return bench.chargeOf({
      from: (outcome === 'no_allowance' ? poor : payers[merchant]) ?? '',
      merchantId: MERCHANTS[merchant] ?? '',
      gross,
      shares:
        outcome === 'refused'
          ? shares.map(([role, , amount], at) => [role, at === 0 ? refuser : world.merchant, amount])
          : shares,
    });
  }

  it('moves from the payer exactly the shares of merchant, platform and splits, and keeps nothing in between', async () => {
    const run = fc.asyncProperty(
      fc.array(draftOf(most), { minLength: 4, maxLength: 10 }),
      fc.subarray([...FAULT_POINTS]),
      async (drafts, points) => {
        const charges = drafts.map(chargeOf);
        await make(charges, points);
        await expectConserved(drafts, charges);
        await bench.renew();
      },
    );
    await fc.assert(run, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  }, 120_000);

  /** Makes the charges, with one error at each of the points. */
  async function make(charges: readonly ChargeDoc[], points: readonly ChainFaultPoint[]): Promise<void> {
    const left = new Set(points);
    const fault = async (at: ChainFaultPoint): Promise<void> => {
      if (left.delete(at)) throw new Error(`fails once at ${at}`);
    };
    await bench.charge(...charges);
    await bench.start({ fault, senders: 2, charges: 4 });
    await bench.untilState(charges, 'final', 'refused');
  }

  async function expectConserved(drafts: readonly Draft[], charges: readonly ChargeDoc[]): Promise<void> {
    const docs = await Promise.all(charges.map((charge) => bench.read(charge)));
    expect(docs.map(({ state }) => state)).toEqual(
      drafts.map(({ outcome }) => (outcome === 'pays' ? 'final' : 'refused')),
    );
    const asked = new Map<string, Map<string, bigint>>();
    for (const { state, txHash, from, gross, shares } of docs) {
      if (state !== 'final' || txHash === null) continue;
      note(asked, txHash, from, -BigInt(gross));
      spent.set(from, (spent.get(from) ?? 0n) + BigInt(gross));
      for (const { to, amount } of shares) note(asked, txHash, to, BigInt(amount));
    }
    const moved = await world.movements();
    for (const [txHash, wallets] of asked) {
      expect([txHash, withoutNothing(moved.get(txHash))]).toEqual([txHash, withoutNothing(wallets)]);
    }
    for (const wallets of moved.values()) {
      expect([...wallets.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
    }
    expect(await Promise.all(world.passers.map((each) => world.balanceOf(each)))).toEqual(world.passers.map(() => 0n));
    for (const payer of [...payers, poor]) {
      expect(await world.balanceOf(payer)).toBe(most * 1_000n - (spent.get(payer) ?? 0n));
    }
    expect(await world.balanceOf(refuser)).toBe(0n);
  }
});

function withoutNothing(wallets: ReadonlyMap<string, bigint> | undefined): Record<string, bigint> {
  return Object.fromEntries([...(wallets ?? [])].filter(([, amount]) => amount !== 0n).sort());
}
