import { MaxUint256 } from 'ethers';
import { decodeReason } from '../../../src/chains/evm/contracts/reasons.ts';
import {
  decodeChargeMany,
  encodeChargeMany,
  operatorAddress,
  type RouterCharge,
} from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { freshAddress } from '../evm/world.ts';
import { transfersFrom, useRouter } from './world.ts';

const world = useRouter();

async function simulate(charges: readonly RouterCharge[]): Promise<string[]> {
  return decodeChargeMany((await world.call(world.sender, world.router, encodeChargeMany(charges))).data);
}

function words(charges: readonly { kind: string; key: string }[]): { kind: string; key: string }[] {
  return charges.map(({ kind, key }) => ({ kind, key }));
}

describe('a batch', () => {
  it('makes the others if some fail, and records the reason of each failure', async () => {
    const good = () => world.payerOf().then((payer) => world.newCharge(payer));
    const refuses = freshAddress();
    await world.refuse(refuses);
    const poor = await world.payerOf({ balance: 5n, allowance: MaxUint256 });
    const bad = [
      world.newCharge(poor),
      world.newCharge(freshAddress()),
      world.newCharge(await world.payerOf(), { to: [freshAddress(), refuses, freshAddress()] }),
      world.newCharge(await world.payerOf(), { gross: 999n }),
    ];
    const charges = [await good(), ...bad, await good(), await good()];
    const kinds = ['charged', 'refused', 'refused', 'refused', 'refused', 'charged', 'charged'];

    const simulated = await simulate(charges);
    const sent = await world.chargeMany(charges);
    expect(words(sent.charges)).toEqual(charges.map(({ key }, index) => ({ kind: kinds[index], key })));
    const refused = sent.charges.flatMap((charge) => (charge.kind === 'refused' ? [charge.reason] : []));
    const spender = operatorAddress(world.router, 'm1', 'test');
    expect(refused).toEqual([
      { kind: 'pull_failed', inner: { kind: 'insufficient_balance', account: poor, balance: 5n, needed: 1000n } },
      { kind: 'pull_failed', inner: { kind: 'insufficient_allowance', spender, allowance: 0n, needed: 1000n } },
      { kind: 'share_failed', index: 1, inner: { kind: 'other', data: expect.stringMatching(/^0x[0-9a-f]{72}$/) } },
      { kind: 'shares_mismatch', sum: 1000n, gross: 999n },
    ]);
    expect(simulated.flatMap((data) => (data === '0x' ? [] : [decodeReason(data)]))).toEqual(refused);
    for (const charge of bad) expect(transfersFrom(sent, world.token, charge.from)).toBe(0);
    expect(await world.balanceOf(world.router)).toBe(0n);
  });

  it('refuses a key that was charged before: alone, in this batch or in another one; `charge` refuses it too', async () => {
    const [alone, batched] = [world.newCharge(await world.payerOf()), world.newCharge(await world.payerOf())];
    await world.charge(alone);
    const first = await world.chargeMany([alone, batched, batched]);
    const seen = { kind: 'refused', reason: { kind: 'seen' } };
    expect(first.charges).toMatchObject([seen, { kind: 'charged' }, seen]);
    const second = await world.chargeMany([batched], { from: world.otherSender });
    expect(second.charges).toMatchObject([{ kind: 'refused', reason: { kind: 'seen', key: batched.key } }]);
    expect((await world.charge(batched)).reason).toEqual({ kind: 'seen', key: batched.key });
    expect(await world.balanceOf(batched.from)).toBe(999_000n);
  });

  it('can charge a refused key later', async () => {
    const payer = await world.payerOf({ balance: 0n, allowance: MaxUint256 });
    const charge = world.newCharge(payer);
    expect((await world.chargeMany([charge])).charges).toMatchObject([{ kind: 'refused' }]);
    await world.mint(payer, 1000n);
    expect((await world.chargeMany([charge])).charges).toMatchObject([{ kind: 'charged', key: charge.key }]);
  });

  it('may be empty', async () => {
    expect(await simulate([])).toEqual([]);
    const sent = await world.chargeMany([]);
    expect([sent.ok, sent.logs]).toEqual([true, []]);
  });
});

describe('gas', () => {
  it('that a node estimates is enough', async () => {
    const charges = [world.newCharge(await world.payerOf()), world.newCharge(await world.payerOf())];
    const data = encodeChargeMany(charges);
    const gas = await world.anvil.provider.estimateGas({ from: world.sender, to: world.router, data });
    expect((await world.chargeMany(charges, { gas })).charges.map(({ kind }) => kind)).toEqual(['charged', 'charged']);
  });

  it('of a charge in a batch is little more than half of that of three plain transactions', async () => {
    const merchants = ['g1', 'g2', 'g3', 'g4', 'g5'];
    const destinations = new Map(merchants.map((merchant) => [merchant, [freshAddress(), freshAddress()]]));
    const make = async (merchant: string): Promise<RouterCharge> => {
      const [payout = '', platform = ''] = destinations.get(merchant) ?? [];
      const rest = { merchant, to: [payout, platform], amounts: [990n, 10n] };
      return world.newCharge(await world.payerOf({ merchant, balance: 10n ** 9n, allowance: MaxUint256 }), rest);
    };
    const fifty = async (): Promise<RouterCharge[]> => {
      const charges: RouterCharge[] = [];
      for (let index = 0; index < 50; index++) charges.push(await make(merchants[index % 5] ?? ''));
      return charges;
    };
    const single = async () => (await world.charge(await make('g1'))).gasUsed;

    const first = await single();
    const opening = await world.chargeMany(await fifty());
    const second = await single();
    const batch = await world.chargeMany(await fifty());
    expect(batch.charges.filter(({ kind }) => kind === 'charged')).toHaveLength(50);
    const plain = await threePlainTransactions();
    const figures = { first, single: second, opening: opening.gasUsed / 50n, batch: batch.gasUsed / 50n, plain };
    const line = Object.entries(figures).map(([name, gas]) => `${name} ${gas}`);
    process.stdout.write(`gas per charge of two shares: ${line.join(', ')}\n`);
    expect(figures.batch * 100n).toBeLessThan(figures.plain * 60n);
    expect(figures.single).toBeLessThan(figures.plain);
  });
});

/** The cost of an operator that is an ordinary account: pull to itself, forward, pay the platform. */
async function threePlainTransactions(): Promise<bigint> {
  const [operator, payout, platform] = [freshAddress(), freshAddress(), freshAddress()];
  await world.mint(payout, 1n);
  await world.mint(platform, 1n);
  const payer = freshAddress();
  await world.mint(payer, 10n ** 9n);
  await world.approveOperator(payer, operator, MaxUint256);
  const calls = [
    testTokenInterface.encodeFunctionData('transferFrom', [payer, operator, 1000n]),
    testTokenInterface.encodeFunctionData('transfer', [payout, 990n]),
    testTokenInterface.encodeFunctionData('transfer', [platform, 10n]),
  ];
  let gas = 0n;
  for (const data of calls) gas += (await world.act(operator, world.token, data)).gasUsed;
  return gas;
}
