import fc from 'fast-check';
import { divide } from '../../../machines/rules/money.ts';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { FAULT_POINTS } from '../support/points.ts';
import { evmPlayground } from './evm-playground.ts';
import { note, type PlayBench, type Playground } from './playground.ts';
import { solanaPlayground } from './solana-playground.ts';

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
type Fate = 'pays' | 'no_allowance' | 'refused';

interface Draft {
  readonly gross: bigint;
  readonly feeBps: number;
  /** Recipient and hundredths of a percent. */
  readonly splits: readonly (readonly [recipient: number, hundredths: number])[];
  readonly to: number;
  readonly merchant: number;
  readonly fate: Fate;
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
    fate: fc.oneof({ weight: 4, arbitrary: fc.constant('pays' as const) }, fc.constantFrom('no_allowance', 'refused')),
  });
}

const GROUNDS: readonly (readonly [title: string, open: () => Promise<Playground>, most: bigint])[] = [
  ['EVM, 6 decimals', () => evmPlayground(6), 10n ** 12n],
  ['EVM, 18 decimals', () => evmPlayground(18), 10n ** 24n],
  ['Solana, a mint of Token', () => solanaPlayground('USDC'), 10n ** 12n],
  ['Solana, a mint of Token-2022', () => solanaPlayground('USDT'), 10n ** 12n],
];

describe.each(GROUNDS)('on %s', (_title, open, most) => {
  let ground: Playground;
  let payers: readonly string[];
  let poor: string;
  let recipients: readonly string[];
  let refuser: string;
  /** By payer, in all runs so far. */
  const spent = new Map<string, bigint>();

  beforeAll(async () => {
    ground = await open();
    payers = await Promise.all(MERCHANTS.map((id) => ground.payer(id, { balance: most * 1_000n })));
    poor = await ground.payer('mrc_a', { balance: most * 1_000n, allowance: 0n });
    recipients = Array.from({ length: RECIPIENTS }, () => ground.stranger());
    refuser = ground.stranger();
    await ground.refuse(refuser);
  }, 120_000);
  afterAll(() => ground?.stop());

  function chargeOf({ gross, feeBps, splits, to, merchant, fate }: Draft): ChargeDoc {
    const rows = splits.map(([who, share]) => {
      return { address: recipients[who] ?? '', percentage: (share / 100).toFixed(2) };
    });
    const parts = divide(gross, feeBps, rows);
    const shares = [
      ['forward', recipients[to] ?? '', parts.forward] as const,
      ['platform', ground.platform, parts.platformAmount] as const,
      ...parts.splits.map(({ address, amount }) => ['split', address, amount] as const),
    ].filter(([, , amount]) => amount > 0n);
    return ground.charge({
      from: (fate === 'no_allowance' ? poor : payers[merchant]) ?? '',
      merchantId: MERCHANTS[merchant] ?? '',
      gross,
      shares:
        fate === 'refused'
          ? shares.map(([role, , amount], at) => [role, at === 0 ? refuser : ground.merchant, amount])
          : shares,
    });
  }

  it('moves from the payer exactly the shares of merchant, platform and splits, and keeps nothing in between', async () => {
    const run = fc.asyncProperty(
      fc.array(draftOf(most), { minLength: 4, maxLength: 10 }),
      fc.subarray([...FAULT_POINTS]),
      async (drafts, points) => {
        const charges = drafts.map(chargeOf);
        const bench = ground.bench();
        try {
          await make(bench, charges, points);
          await expectConserved(bench, drafts, charges);
        } finally {
          await bench.stop();
        }
      },
    );
    await fc.assert(run, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  }, 120_000);

  /** Makes the charges, with one error at each of the points. */
  async function make(
    bench: PlayBench,
    charges: readonly ChargeDoc[],
    points: readonly ChainFaultPoint[],
  ): Promise<void> {
    const left = new Set(points);
    const fault = async (at: ChainFaultPoint): Promise<void> => {
      if (left.delete(at)) throw new Error(`fails once at ${at}`);
    };
    await bench.charge(...charges);
    await bench.play({ fault, senders: 2, charges: 4 }).start();
    await bench.untilState(charges, 'final', 'refused');
  }

  async function expectConserved(
    bench: PlayBench,
    drafts: readonly Draft[],
    charges: readonly ChargeDoc[],
  ): Promise<void> {
    const docs = await Promise.all(charges.map((charge) => bench.read(charge)));
    expect(docs.map(({ state }) => state)).toEqual(drafts.map(({ fate }) => (fate === 'pays' ? 'final' : 'refused')));
    const asked = new Map<string, Map<string, bigint>>();
    for (const { state, txHash, from, gross, shares } of docs) {
      if (state !== 'final' || txHash === null) continue;
      note(asked, txHash, from, -BigInt(gross));
      spent.set(from, (spent.get(from) ?? 0n) + BigInt(gross));
      for (const { to, amount } of shares) note(asked, txHash, to, BigInt(amount));
    }
    const moved = await ground.movements();
    for (const [txHash, wallets] of asked) {
      expect([txHash, withoutNothing(moved.get(txHash))]).toEqual([txHash, withoutNothing(wallets)]);
    }
    for (const wallets of moved.values()) {
      expect([...wallets.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
    }
    expect(await Promise.all(ground.passers.map((each) => ground.balanceOf(each)))).toEqual(
      ground.passers.map(() => 0n),
    );
    for (const payer of [...payers, poor]) {
      expect(await ground.balanceOf(payer)).toBe(most * 1_000n - (spent.get(payer) ?? 0n));
    }
    expect(await ground.balanceOf(refuser)).toBe(0n);
  }
});

function withoutNothing(wallets: ReadonlyMap<string, bigint> | undefined): Record<string, bigint> {
  return Object.fromEntries([...(wallets ?? [])].filter(([, amount]) => amount !== 0n).sort());
}
