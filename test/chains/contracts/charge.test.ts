import { MaxUint256, ZeroAddress } from 'ethers';
import {
  decodeChargedAt,
  decodeSeen,
  depositAddress,
  encodeChargedAt,
  encodeSeen,
  MAX_SHARES,
  merchantSalt,
  operatorAddress,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { transfersFrom, useRouter } from './world.ts';

const world = useRouter();

async function seen(key: string): Promise<boolean> {
  return decodeSeen((await world.call(world.sender, world.router, encodeSeen(key))).data);
}

describe('a charge', () => {
  it('pays every share from one transfer of the payer, keeps nothing, and logs it', async () => {
    const payer = await world.payerOf({ merchant: 'whole', balance: 5000n, allowance: 1500n });
    const charge = world.newCharge(payer, { merchant: 'whole' });
    const sent = await world.charge(charge);

    expect(sent.charges).toEqual([{ kind: 'charged', index: 4, ...charge }]);
    expect(await Promise.all(charge.to.map((to) => world.balanceOf(to)))).toEqual([900n, 90n, 10n]);
    expect(await world.balanceOf(payer)).toBe(4000n);
    expect(transfersFrom(sent, world.token, payer)).toBe(1);
    const operator = operatorAddress(world.router, 'whole', 'test');
    expect(await world.allowance(payer, operator)).toBe(500n);
    expect([await world.balanceOf(world.router), await world.balanceOf(operator)]).toEqual([0n, 0n]);
  });

  it("creates the merchant's operator at its first charge only, at the address that was approved before", async () => {
    const payer = await world.payerOf({ merchant: 'first' });
    const operator = operatorAddress(world.router, 'first', 'test');
    expect(await world.code(operator)).toBe('0x');
    expect((await world.charge(world.newCharge(payer, { merchant: 'first' }))).ok).toBe(true);
    const code = await world.code(operator);
    expect(code).toHaveLength(2 + 2 * 45);
    expect((await world.charge(world.newCharge(payer, { merchant: 'first' }))).ok).toBe(true);
    expect(await world.code(operator)).toBe(code);
  });

  it('shows when a key was charged, and that another was not', async () => {
    const charge = world.newCharge(await world.payerOf());
    const before = await world.call(world.sender, world.router, encodeChargedAt(charge.key));
    expect(decodeChargedAt(before.data)).toBeNull();
    expect(await seen(charge.key)).toBe(false);

    await world.charge(charge);
    const block = await world.anvil.provider.getBlock('latest');
    const after = await world.call(world.sender, world.router, encodeChargedAt(charge.key));
    expect(decodeChargedAt(after.data)).toEqual({
      blockNumber: BigInt(block?.number ?? -1),
      timestamp: BigInt(block?.timestamp ?? -1),
    });
    expect(await seen(charge.key)).toBe(true);
  });

  it('moves nothing for a share of zero, and keeps its place in the event', async () => {
    const charge = world.newCharge(await world.payerOf(), { amounts: [1000n, 0n, 0n] });
    const sent = await world.charge(charge);
    expect(sent.charges).toMatchObject([{ kind: 'charged', amounts: [1000n, 0n, 0n], to: charge.to }]);
    expect(sent.logs).toHaveLength(3);
  });

  it('pays sixteen shares, the maximum', async () => {
    expect(await world.read(world.router, routerInterface, 'MAX_SHARES')).toBe(BigInt(MAX_SHARES));
    const to = Array.from({ length: MAX_SHARES }, freshAddress);
    const charge = world.newCharge(await world.payerOf(), { to, amounts: to.map(() => 3n), gross: 48n });
    expect((await world.charge(charge)).ok).toBe(true);
    expect(await world.balanceOf(to[15] ?? '')).toBe(3n);
  });

  it('does not use tokens that somebody sent to the router by mistake', async () => {
    await world.mint(world.router, 77n);
    expect((await world.charge(world.newCharge(await world.payerOf()))).ok).toBe(true);
    expect(await world.balanceOf(world.router)).toBe(77n);
  });

  it('charges amounts up to the largest possible one', async () => {
    const token = await world.deployToken('BIG', 18);
    const payer = await world.payerOf({ token, balance: MaxUint256 });
    const [to] = [freshAddress()];
    const charge = world.newCharge(payer, { token, gross: MaxUint256, to: [to], amounts: [MaxUint256] });
    expect((await world.charge(charge)).ok).toBe(true);
    expect(await world.balanceOf(to, token)).toBe(MaxUint256);
  });
});

describe('a charge is refused, and nothing moves,', () => {
  it('when its key has been charged, whatever else differs', async () => {
    const charge = world.newCharge(await world.payerOf());
    await world.charge(charge);
    const other = await world.payerOf({ merchant: 'other' });
    const again = world.newCharge(other, { merchant: 'other', key: charge.key, gross: 1n, to: [], amounts: [] });
    for (const repeated of [charge, again]) {
      const sent = await world.charge(repeated, { from: world.otherSender });
      expect(sent.reason).toEqual({ kind: 'seen', key: charge.key });
      expect(sent.logs).toEqual([]);
    }
    expect(await world.balanceOf(other)).toBe(1_000_000n);
  });

  const [nothing, many] = [freshAddress(), Array.from({ length: 17 }, freshAddress)];
  const mismatch = (sum: bigint) => ({ kind: 'shares_mismatch', sum, gross: 1000n });
  it.each([
    ['its shares add up to too little', { amounts: [900n, 90n, 9n] }, mismatch(999n)],
    ['its shares add up to too much', { amounts: [900n, 90n, 11n] }, mismatch(1001n)],
    ['its shares add up to more than there is', { amounts: [1000n, MaxUint256, 0n] }, mismatch(MaxUint256)],
    ['it has no shares', { to: [], amounts: [] }, mismatch(0n)],
    ['its amount is zero', { gross: 0n, amounts: [0n, 0n, 0n] }, { kind: 'zero_gross' }],
    ['it has an amount too few', { amounts: [900n, 100n] }, { kind: 'shares_uneven', recipients: 3n, amounts: 2n }],
    [
      'it has 17 shares',
      { to: many, amounts: many.map(() => 1n), gross: 17n },
      { kind: 'too_many_shares', allowed: 16n },
    ],
    ['there is no contract at the token', { token: nothing }, { kind: 'not_a_token', token: nothing }],
  ])('when %s', async (_what, change, reason) => {
    const charge = world.newCharge(await world.payerOf(), change);
    expect((await world.charge(charge)).reason).toMatchObject(reason);
    expect(await seen(charge.key)).toBe(false);
  });

  it('when a share would be lost or come back', async () => {
    const payer = await world.payerOf();
    const operator = operatorAddress(world.router, 'm1', 'test');
    for (const recipient of [ZeroAddress, world.token, world.router, operator]) {
      const sent = await world.charge(world.newCharge(payer, { to: [freshAddress(), recipient, freshAddress()] }));
      expect(sent.reason).toEqual({ kind: 'bad_recipient', index: 1, recipient });
    }
  });

  it('when the address of the token has another contract', async () => {
    const sent = await world.charge(world.newCharge(await world.payerOf(), { token: world.router }));
    expect(sent.reason).toEqual({ kind: 'balance_failed', inner: { kind: 'silent' } });
  });

  it('when the payer has approved another merchant, the other mode, or the router', async () => {
    const payer = await world.payerOf({ merchant: 'consented' });
    await world.approveOperator(payer, operatorAddress(world.router, 'wanted', 'live'), MaxUint256);
    await world.approveOperator(payer, world.router, MaxUint256);
    const sent = await world.charge(world.newCharge(payer, { merchant: 'wanted' }));
    const spender = operatorAddress(world.router, 'wanted', 'test');
    const inner = { kind: 'insufficient_allowance', spender, allowance: 0n, needed: 1000n };
    expect(sent.reason).toEqual({ kind: 'pull_failed', inner });
    expect(await world.balanceOf(payer)).toBe(1_000_000n);
  });

  it('when the transaction has too little gas for its budget', async () => {
    const charge = world.newCharge(await world.payerOf());
    const budget = await world.read(world.router, routerInterface, 'gasBudget', [3]);
    expect(budget).toBe(540_000n);
    const poor = await world.charge(charge, { gas: 560_000n });
    expect(poor.reason).toMatchObject({ kind: 'gas_too_low', required: 540_000n });
    expect((await world.charge(charge, { gas: 600_000n })).ok).toBe(true);
  });

  it("when it comes from another key's deposit address", async () => {
    const from = depositAddress(world.router, newKey());
    await world.mint(from, 1000n);
    const sent = await world.charge(world.newCharge(from));
    expect(sent.reason).toMatchObject({
      kind: 'pull_failed',
      inner: { kind: 'insufficient_allowance', allowance: 0n },
    });
  });
});

describe('addresses', () => {
  it('are computed off the chain exactly as the router computes them', async () => {
    for (const [merchantId, mode] of [
      ['merchant_1', 'live'],
      ['merchant_1', 'test'],
      ['', 'test'],
    ] as const) {
      const onChain = await world.read(world.router, routerInterface, 'operatorOf', [merchantSalt(merchantId, mode)]);
      expect(operatorAddress(world.router, merchantId, mode)).toBe(onChain);
    }
    const key = newKey();
    const onChain = await world.read(world.router, routerInterface, 'depositOf', [key]);
    expect(depositAddress(world.router, key)).toBe(onChain);
  });
});
