import { type Interface, MaxUint256 } from 'ethers';
import { decodeReason, type Reason } from '../../../src/chains/evm/contracts/reasons.ts';
import {
  decodeChargeMany,
  encodeChargeMany,
  encodePermit,
  encodeRefundDeposit,
  merchantSalt,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress, type Sent } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { encodeCharge, type HostileMode, transfersFrom, useRouter } from './world.ts';

const world = useRouter();

type Token = { address: string; abi: Interface };

async function chargeOf(token: Token, rest: Partial<RouterCharge> = {}): Promise<RouterCharge> {
  const payer = await world.payerOf({ token: token.address });
  return { ...world.newCharge(payer, { token: token.address }), ...rest };
}

/** Charges it alone, which must revert, and in a batch between two sound ones, which must succeed. */
async function refuse(charge: RouterCharge): Promise<{ alone: Sent; batch: Sent }> {
  const before = await world.balanceOf(world.router);
  const alone = await world.charge(charge);
  expect(alone.logs).toEqual([]);
  const honest = [world.newCharge(await world.payerOf()), world.newCharge(await world.payerOf())] as const;
  const batch = await world.chargeMany([honest[0], charge, honest[1]]);
  expect(batch.charges).toMatchObject([
    { kind: 'charged', key: honest[0].key },
    { kind: 'refused', key: charge.key, reason: withoutGas(alone.reason) },
    { kind: 'charged', key: honest[1].key },
  ]);
  expect(await world.balanceOf(world.router)).toBe(before);
  return { alone, batch };
}

/** The token's gas differs in a batch. */
function withoutGas(reason: Reason | null): unknown {
  if (reason === null || !('inner' in reason) || reason.inner.kind !== 'out_of_gas') return reason;
  return { ...reason, inner: { kind: 'out_of_gas' } };
}

describe('a token whose functions return nothing', () => {
  it('is charged like any other', async () => {
    const token = await world.deployTest('NoReturnToken');
    const charge = await chargeOf(token);
    const sent = await world.charge(charge);
    expect(sent.charges).toMatchObject([{ kind: 'charged', key: charge.key }]);
    expect(transfersFrom(sent, token.address, charge.from)).toBe(1);
    expect(await world.balanceOf(charge.to[1] ?? '', token.address)).toBe(90n);
    expect(await world.balanceOf(world.router, token.address)).toBe(0n);
  });

  it('refuses by using up its gas, and does not affect the others', async () => {
    const token = await world.deployTest('NoReturnToken');
    const poor = await world.payerOf({ token: token.address, balance: 10n, allowance: MaxUint256 });
    const { alone } = await refuse(world.newCharge(poor, { token: token.address }));
    expect(alone.reason).toMatchObject({ kind: 'pull_failed', inner: { kind: 'out_of_gas' } });
  });
});

describe('a hostile token', () => {
  let hostile: Token;
  beforeAll(async () => {
    hostile = await world.deployTest('HostileToken');
  });

  async function hostileCharge(mode: HostileMode): Promise<RouterCharge> {
    await world.setMode(hostile, 'Honest');
    const charge = await chargeOf(hostile);
    await world.setMode(hostile, mode);
    return charge;
  }

  it.each([
    { mode: 'BurnsGasOnPull', reason: { kind: 'pull_failed', inner: { kind: 'out_of_gas' } } },
    { mode: 'BurnsGasOnPush', reason: { kind: 'share_failed', index: 0, inner: { kind: 'out_of_gas' } } },
    { mode: 'BurnsGasOnBalance', reason: { kind: 'balance_failed', inner: { kind: 'out_of_gas' } } },
  ] as const)('that burns gas ($mode) burns only its own budget', async ({ mode, reason }) => {
    const charge = await hostileCharge(mode);
    const honest = await world.chargeMany([
      world.newCharge(await world.payerOf()),
      world.newCharge(await world.payerOf()),
    ]);
    const sent = await world.chargeMany([
      world.newCharge(await world.payerOf()),
      charge,
      world.newCharge(await world.payerOf()),
    ]);
    expect(sent.charges).toMatchObject([{ kind: 'charged' }, { kind: 'refused', reason }, { kind: 'charged' }]);
    expect(sent.gasUsed - honest.gasUsed).toBeGreaterThan(500_000n);
    expect(sent.gasUsed - honest.gasUsed).toBeLessThan(620_000n);
  });

  it.each(['BurnsGasOnPull', 'BurnsGasOnPush', 'BurnsGasOnBalance'] as const)(
    'that burns gas (%s) causes no other refusal, however little gas there is',
    async (mode) => {
      const one = { to: [freshAddress()], amounts: [1000n] };
      const hostileOne = { ...(await hostileCharge(mode)), ...one };
      const charges = [world.newCharge(await world.payerOf()), hostileOne, world.newCharge(await world.payerOf(), one)];
      const seen = new Set<string>();
      for (let gas = 60_000n; gas < 1_500_000n; gas += 23_993n) {
        const result = await world.call(world.sender, world.router, encodeChargeMany(charges), gas);
        const reasons = result.ok ? decodeChargeMany(result.data) : [result.data];
        seen.add(reasons.map((data) => (data === '0x' ? 'made' : decodeReason(data).kind)).join());
      }
      const kind = { BurnsGasOnPull: 'pull', BurnsGasOnPush: 'share', BurnsGasOnBalance: 'balance' }[mode];
      expect([...seen].sort()).toEqual(['gas_too_low', `made,${kind}_failed,made`]);
    },
  );

  it.each([
    { mode: 'BombsOnPull', kind: 'pull_failed' },
    { mode: 'BombsOnPush', kind: 'share_failed' },
    { mode: 'BombsOnBalance', kind: 'balance_failed' },
  ] as const)('that reverts with 200 kB ($mode) has 512 bytes of it recorded', async ({ mode, kind }) => {
    const charge = await hostileCharge(mode);
    const { batch } = await refuse(charge);
    const inner = { kind: 'other', data: `0x${'00'.repeat(512)}` };
    expect(batch.charges[1]).toMatchObject({ kind: 'refused', reason: { kind, inner } });
    expect(batch.gasUsed).toBeLessThan(700_000n);
  });

  it('that answers a pull with 200 kB is charged if it moved the money', async () => {
    const charge = await hostileCharge('AnswersWithMegabytes');
    expect((await world.charge(charge)).charges).toMatchObject([{ kind: 'charged', key: charge.key }]);
  });

  it.each([
    ['AnswersBalanceShort', { kind: 'balance_failed', inner: { kind: 'other', data: `0x${'00'.repeat(16)}` } }],
    ['LiesOnPull', { kind: 'arrival_mismatch', arrived: 0n, expected: 1000n }],
    ['LiesOnPush', { kind: 'residue', balance: 1000n, expected: 0n }],
    ['SkimsOnPush', { kind: 'share_failed', index: 2, inner: { kind: 'insufficient_balance' } }],
    ['RevertsInSilence', { kind: 'pull_failed', inner: { kind: 'silent' } }],
    ['KeepsFee', { kind: 'arrival_mismatch', arrived: 990n, expected: 1000n }],
    ['AnswersPullWithFalse', { kind: 'pull_failed', inner: { kind: 'returned_false' } }],
    ['AnswersPushWithFalse', { kind: 'share_failed', index: 0, inner: { kind: 'returned_false' } }],
  ] as const)('(%s) is refused, with the reason, and the payer keeps everything', async (mode, reason) => {
    const charge = await hostileCharge(mode);
    const { alone, batch } = await refuse(charge);
    expect(alone.reason).toMatchObject(reason);
    expect(transfersFrom(batch, hostile.address, charge.from)).toBe(0);
    await world.setMode(hostile, 'Honest');
    expect(await world.balanceOf(charge.from, hostile.address)).toBe(1_000_000n);
  });

  it('that takes it from tokens that were sent to the router by mistake is refused too', async () => {
    const own = await world.deployTest('HostileToken');
    const charge = await chargeOf(own);
    await world.mint(world.router, 50n, own.address);
    await world.setMode(own, 'SkimsOnPush');
    const { alone } = await refuse(charge);
    expect(alone.reason).toEqual({ kind: 'residue', balance: 47n, expected: 50n });
  });
});

describe('a token that calls the router in the middle of a pull', () => {
  async function callingBack(data: (token: Token, victim: RouterCharge) => string, asSender: boolean): Promise<Sent> {
    const token = await world.deployTest('HostileToken');
    const victim = world.newCharge(await world.payerOf());
    const charge = await chargeOf(token);
    if (asSender) {
      await world.callRouter('addSender', [token.address]);
    }
    const set = token.abi.encodeFunctionData('setCallback', [world.router, data(token, victim)]);
    await world.act(world.owner, token.address, set);
    await world.setMode(token, 'CallsBack');
    const { alone } = await refuse(charge);
    expect(await world.balanceOf(victim.from)).toBe(1_000_000n);
    return alone;
  }

  const permitOf = (token: Token): string =>
    encodePermit({
      token: token.address,
      payer: token.address,
      merchant: merchantSalt('m1', 'test'),
      value: 0n,
      deadline: MaxUint256,
      signature: { v: 27, r: newKey(), s: newKey() },
    });
  const refundOf = (token: Token): string =>
    encodeRefundDeposit({ key: newKey(), refund: newKey(), token: token.address, to: freshAddress(), amount: 1n });

  it.each([
    { name: 'charge', data: (_: Token, victim: RouterCharge) => encodeCharge(victim) },
    { name: 'chargeMany', data: (_: Token, victim: RouterCharge) => encodeChargeMany([victim]) },
    { name: 'refundDeposit', data: refundOf },
    { name: 'permit', data: permitOf },
  ])('is refused even if it is a sender itself ($name)', async ({ data }) => {
    const error = routerInterface.encodeErrorResult('ReentrancyGuardReentrantCall', []);
    const alone = await callingBack(data, true);
    expect(alone.reason).toEqual({ kind: 'pull_failed', inner: { kind: 'other', data: error } });
  });

  it('is not a sender', async () => {
    const alone = await callingBack((_, victim) => encodeCharge(victim), false);
    expect(alone.reason).toMatchObject({ kind: 'pull_failed', inner: { kind: 'other' } });
  });

  it('does not count as the router itself', async () => {
    const data = (_: Token, victim: RouterCharge) => routerInterface.encodeFunctionData('chargeItem', [victim]);
    const alone = await callingBack(data, true);
    expect(alone.reason).toMatchObject({ kind: 'pull_failed', inner: { kind: 'other' } });
  });
});
