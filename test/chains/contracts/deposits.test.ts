import { ZeroAddress } from 'ethers';
import { depositRefundedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import {
  depositAddress,
  encodeRefundDeposit,
  implementationAddresses,
  paymentChargeKey,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress, type Sent } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { transfersFrom, useRouter } from './world.ts';

const world = useRouter();

/** A payment's charge from its deposit address, which has got `sent`. */
async function deposited(sent: bigint): Promise<RouterCharge> {
  const key = paymentChargeKey(newKey());
  const from = depositAddress(world.router, key);
  await world.mint(from, sent);
  return world.newCharge(from, { key });
}

async function refund(
  key: string,
  to: string,
  amount: bigint,
  options: { token?: string | null; from?: string; refund?: string } = {},
): Promise<Sent> {
  const token = options.token === undefined ? world.token : options.token;
  return world.send(
    options.from ?? world.sender,
    world.router,
    encodeRefundDeposit({ key, refund: options.refund ?? newKey(), token, to, amount }),
  );
}

function refunds(sent: Sent): unknown[] {
  return sent.logs
    .filter((log) => log.topics[0] === depositRefundedTopic)
    .map((log) => routerInterface.decodeEventLog('DepositRefunded', log.data, log.topics).toObject());
}

describe('a charge from a deposit', () => {
  it('creates the forwarder at the paid address, and takes exactly the gross amount', async () => {
    const charge = await deposited(1200n);
    expect(await world.code(charge.from)).toBe('0x');
    const sent = await world.charge(charge);
    expect(sent.charges).toMatchObject([{ kind: 'charged', key: charge.key, from: charge.from, gross: 1000n }]);
    expect(transfersFrom(sent, world.token, charge.from)).toBe(1);
    expect(await world.code(charge.from)).toContain(
      implementationAddresses(world.router).deposit.slice(2).toLowerCase(),
    );
    expect(await world.balanceOf(charge.from)).toBe(200n);
    expect(await world.balanceOf(charge.to[0] ?? '')).toBe(900n);
    expect(await world.balanceOf(world.router)).toBe(0n);
    expect(refunds(sent)).toEqual([]);
  });
});

describe('a refund of a deposit', () => {
  it('returns the rest of a charge in parts, and does not change the key', async () => {
    const charge = await deposited(1500n);
    await world.charge(charge);
    const to = freshAddress();
    expect((await refund(charge.key, to, 200n)).ok).toBe(true);
    expect((await refund(charge.key, to, 300n)).ok).toBe(true);
    expect(await world.balanceOf(to)).toBe(500n);

    const later = await deposited(100n);
    await refund(later.key, to, 100n);
    await world.mint(later.from, 1000n);
    expect((await world.charge(later)).charges).toMatchObject([{ kind: 'charged' }]);
  });

  it('can be repeated after a failure', async () => {
    const { key } = await deposited(10n);
    const [to, name] = [freshAddress(), newKey()];
    expect((await refund(key, to, 11n, { refund: name })).reason).toMatchObject({ kind: 'refund_failed' });
    const sent = await refund(key, to, 10n, { refund: name });
    expect(refunds(sent)).toEqual([{ refund: name, key, token: world.token, to, amount: 10n }]);
  });

  it('can be of another token than requested', async () => {
    const other = await world.deployToken('WRONG', 18);
    const key = newKey();
    await world.mint(depositAddress(world.router, key), 5n, other);
    const to = freshAddress();
    expect((await refund(key, to, 5n, { token: other })).ok).toBe(true);
    expect(await world.balanceOf(to, other)).toBe(5n);
  });

  it('can be of the native coin, which a created forwarder refuses', async () => {
    const key = newKey();
    const deposit = depositAddress(world.router, key);
    const payer = freshAddress();
    await world.act(payer, deposit, '0x', { value: 9n });
    const to = freshAddress();
    const sent = await refund(key, to, 9n, { token: null });
    expect(refunds(sent)).toMatchObject([{ key, token: ZeroAddress, to, amount: 9n }]);
    expect(await world.anvil.provider.getBalance(to)).toBe(9n);
    expect((await world.send(payer, deposit, '0x', { value: 9n })).ok).toBe(false);
  });

  it('of more than the balance fails, with the balance in the reason', async () => {
    const { key, from } = await deposited(10n);
    const inner = { kind: 'insufficient_balance', account: from, balance: 10n, needed: 11n };
    expect((await refund(key, freshAddress(), 11n)).reason).toEqual({ kind: 'refund_failed', inner });
    const native = await refund(key, freshAddress(), 11n, { token: null });
    expect(native.reason).toEqual({ kind: 'refund_failed', inner: { kind: 'silent' } });
  });

  it('fails if the receiver refuses the native coin', async () => {
    const key = newKey();
    await world.act(freshAddress(), depositAddress(world.router, key), '0x', { value: 9n });
    const sent = await refund(key, world.token, 9n, { token: null });
    expect(sent.reason).toEqual({ kind: 'refund_failed', inner: { kind: 'silent' } });
  });

  it('of zero, of no token, or to an address where it would be lost is refused', async () => {
    const { key, from } = await deposited(10n);
    expect((await refund(key, freshAddress(), 0n)).reason).toEqual({ kind: 'zero_refund', key });
    const token = freshAddress();
    expect((await refund(key, freshAddress(), 1n, { token })).reason).toEqual({ kind: 'not_a_token', token });
    for (const recipient of [ZeroAddress, world.token, world.router, from]) {
      const reason = { kind: 'bad_recipient', index: 0, recipient };
      expect((await refund(key, recipient, 1n)).reason).toEqual(reason);
    }
  });

  it('needs a sender, and a router that is not paused', async () => {
    const { key } = await deposited(10n);
    const stranger = freshAddress();
    const refused = await refund(key, stranger, 10n, { from: stranger });
    expect(refused.reason).toEqual({ kind: 'not_sender', caller: stranger });
    await world.callRouter('pause');
    expect((await refund(key, freshAddress(), 10n)).reason).toEqual({ kind: 'paused' });
    await world.callRouter('unpause');
  });
});
