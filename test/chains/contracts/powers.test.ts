import { Interface, Signature, Wallet } from 'ethers';
import depositForwarder from '../../../src/chains/evm/contracts/artifacts/DepositForwarder.json' with { type: 'json' };
import operatorArtifact from '../../../src/chains/evm/contracts/artifacts/Operator.json' with { type: 'json' };
import {
  deployRouterData,
  depositAddress,
  encodePermit,
  implementationAddresses,
  merchantSalt,
  operatorAddress,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { expectedRouterCode, routerTrouble } from '../../../src/chains/evm/contracts/router-code.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { PERMIT_FIELDS } from '../../../src/chains/port.ts';
import { freshAddress, type Sent } from '../evm/world.ts';
import { useRouter } from './world.ts';

const operatorInterface = new Interface(operatorArtifact.abi);
const depositInterface = new Interface(depositForwarder.abi);

const world = useRouter();

async function asOwner(name: string, args: readonly unknown[] = [], from = world.owner): Promise<Sent> {
  return world.send(from, world.router, routerInterface.encodeFunctionData(name, args));
}

describe('strangers', () => {
  it('cannot charge; neither can the owner or a payer', async () => {
    const payer = await world.payerOf();
    for (const caller of [freshAddress(), payer, world.owner]) {
      const [charge, by] = [world.newCharge(payer), { from: caller }];
      for (const sent of [await world.charge(charge, by), await world.chargeMany([charge], by)]) {
        expect(sent.reason).toEqual({ kind: 'not_sender', caller });
      }
    }
  });

  it('cannot make one item of a batch; neither can a sender', async () => {
    const data = routerInterface.encodeFunctionData('chargeItem', [world.newCharge(await world.payerOf())]);
    for (const caller of [freshAddress(), world.sender]) {
      expect((await world.send(caller, world.router, data)).reason).toEqual({ kind: 'not_self', caller });
    }
  });

  it('cannot use an operator, a deposit forwarder or the implementations; neither can a sender or the owner', async () => {
    const payer = await world.payerOf({ merchant: 'clone' });
    await world.charge(world.newCharge(payer, { merchant: 'clone' }));
    const key = merchantSalt('any', 'test');
    const deposit = depositAddress(world.router, key);
    await world.mint(deposit, 1000n);
    await world.charge(world.newCharge(deposit, { key }));
    await world.mint(deposit, 1000n);

    const made = implementationAddresses(world.router);
    const pull = operatorInterface.encodeFunctionData('pull', [world.token, payer, 1n]);
    const empty = depositInterface.encodeFunctionData('pull', [world.token, 1n]);
    const refund = depositInterface.encodeFunctionData('refund', [world.token, freshAddress(), 1n]);
    const attempts = [
      { to: operatorAddress(world.router, 'clone', 'test'), data: pull },
      { to: made.operator, data: pull },
      ...[deposit, made.deposit].flatMap((to) => [empty, refund].map((data) => ({ to, data }))),
    ];
    for (const caller of [freshAddress(), payer, world.sender, world.owner]) {
      const error = operatorInterface.encodeErrorResult('NotRouter', [caller, world.router]);
      for (const { to, data } of attempts) {
        expect(await world.call(caller, to, data)).toEqual({ ok: false, data: error });
        expect((await world.send(caller, to, data)).logs).toEqual([]);
      }
    }
    expect([await world.balanceOf(payer), await world.balanceOf(deposit)]).toEqual([999_000n, 1000n]);
  });

  it('cannot act as the owner; neither can a sender, nor the guardian, who pauses and removes senders', async () => {
    const [someone, guardian] = [freshAddress(), freshAddress()];
    await asOwner('setGuardian', [guardian]);
    const calls: [string, unknown[]][] = [
      ['addSender', [someone]],
      ['unpause', []],
      ['setGuardian', [someone]],
      ['setGasBudget', [400_000, 90_000]],
      ['transferOwnership', [someone]],
      ['renounceOwnership', []],
    ];
    for (const caller of [someone, world.sender, guardian]) {
      for (const [name, args] of calls) {
        expect((await asOwner(name, args, caller)).reason).toEqual({ kind: 'not_owner', caller });
      }
      for (const [name, args] of [
        ['removeSender', [world.otherSender]],
        ['pause', []],
      ] as const) {
        const { ok, reason } = await asOwner(name, args, caller);
        expect([ok, reason]).toEqual(caller === guardian ? [true, null] : [false, { kind: 'not_guardian', caller }]);
      }
    }
    await asOwner('unpause');
    await asOwner('addSender', [world.otherSender]);
    await asOwner('setGuardian', [`0x${'00'.repeat(20)}`]);
  });

  it('cannot send coins to the router, an operator or the implementations', async () => {
    const made = implementationAddresses(world.router);
    for (const to of [world.router, made.operator, made.deposit]) {
      expect((await world.send(freshAddress(), to, '0x', { value: 1n })).ok).toBe(false);
    }
  });
});

describe('the owner', () => {
  it('pauses all charges, and earlier approvals work after that', async () => {
    const payer = await world.payerOf();
    const operator = operatorAddress(world.router, 'm1', 'test');
    await asOwner('pause');
    const charge = world.newCharge(payer);
    expect((await world.charge(charge)).reason).toEqual({ kind: 'paused' });
    expect((await world.chargeMany([charge])).reason).toEqual({ kind: 'paused' });
    expect((await asOwner('pause')).reason).toEqual({ kind: 'paused' });
    expect(await world.allowance(payer, operator)).toBe(1_000_000n);
    await asOwner('unpause');
    expect((await asOwner('unpause')).reason).toEqual({ kind: 'not_paused' });
    expect((await world.charge(charge)).ok).toBe(true);
  });

  it('replaces a sender, and no payer has to approve again', async () => {
    const payer = await world.payerOf();
    const [fresh, charge] = [freshAddress(), world.newCharge(payer)];
    expect((await asOwner('addSender', [fresh])).logs).toHaveLength(1);
    expect((await asOwner('addSender', [fresh])).logs).toHaveLength(0);
    expect((await asOwner('removeSender', [world.otherSender])).logs).toHaveLength(1);
    expect((await asOwner('removeSender', [world.otherSender])).logs).toHaveLength(0);
    const caller = world.otherSender;
    expect((await world.charge(charge, { from: caller })).reason).toEqual({ kind: 'not_sender', caller });
    expect((await world.charge(charge, { from: fresh })).ok).toBe(true);
  });

  it('cannot make the zero address or the router a sender', async () => {
    for (const sender of [`0x${'00'.repeat(20)}`, world.router]) {
      expect((await asOwner('addSender', [sender])).reason).toEqual({ kind: 'bad_sender', sender });
    }
  });

  it('gives charges more gas, but never less than at first', async () => {
    expect((await asOwner('setGasBudget', [299_999, 80_000])).reason).toMatchObject({ kind: 'gas_budget_too_low' });
    expect((await asOwner('setGasBudget', [300_000, 79_999])).reason).toEqual({
      kind: 'gas_budget_too_low',
      base: 300_000n,
      perShare: 79_999n,
    });
    await asOwner('setGasBudget', [700_000, 100_000]);
    const budget = (shares: number) => world.read(world.router, routerInterface, 'gasBudget', [shares]);
    expect([await budget(3), await budget(16), await budget(17)]).toEqual([1_000_000n, 2_300_000n, 2_300_000n]);
    const charge = world.newCharge(await world.payerOf());
    expect((await world.charge(charge, { gas: 1_000_000n })).reason).toMatchObject({ kind: 'gas_too_low' });
    await asOwner('setGasBudget', [300_000, 80_000]);
    expect((await world.charge(charge, { gas: 1_000_000n })).ok).toBe(true);
  });

  it('hands over in two steps, and cannot leave the router without an owner', async () => {
    const [first, next] = [world.owner, freshAddress()];
    expect((await asOwner('renounceOwnership')).reason).toEqual({ kind: 'owner_required' });
    await asOwner('transferOwnership', [next]);
    expect((await asOwner('pause', [], next)).reason).toEqual({ kind: 'not_guardian', caller: next });
    const stranger = freshAddress();
    expect((await asOwner('acceptOwnership', [], stranger)).reason).toEqual({ kind: 'not_owner', caller: stranger });
    expect((await asOwner('acceptOwnership', [], next)).ok).toBe(true);
    expect((await asOwner('pause')).reason).toEqual({ kind: 'not_guardian', caller: first });
    await asOwner('transferOwnership', [first], next);
    expect((await asOwner('acceptOwnership')).ok).toBe(true);
  });

  it('is set from the start', async () => {
    const zero = `0x${'00'.repeat(20)}`;
    expect((await world.send(world.owner, null, deployRouterData(zero, []))).ok).toBe(false);
  });
});

describe('a permit', () => {
  const wallet = Wallet.createRandom();
  const merchant = merchantSalt('permitted', 'test');

  async function signed(value: bigint, deadline: bigint, nonce?: bigint): Promise<Signature> {
    const domain = { name: 'Test USDC', version: '1', chainId: world.anvil.chainId, verifyingContract: world.token };
    const types = { Permit: [...PERMIT_FIELDS] };
    const spender = operatorAddress(world.router, 'permitted', 'test');
    const used = nonce ?? (await world.read(world.token, testTokenInterface, 'nonces', [wallet.address]));
    const message = { owner: wallet.address, spender, value, nonce: used, deadline };
    return Signature.from(await wallet.signTypedData(domain, types, message));
  }

  const later = (): bigint => BigInt(Math.floor(Date.now() / 1000) + 3600);

  async function pass(value: bigint, deadline: bigint, signature: Signature, token = world.token, from = world.sender) {
    const data = encodePermit({ token, payer: wallet.address, merchant, value, deadline, signature });
    return world.send(from, world.router, data);
  }

  async function allowance(): Promise<bigint> {
    return world.allowance(wallet.address, operatorAddress(world.router, 'permitted', 'test'));
  }

  it('that was used before does no harm while the allowance suffices, and fails after that', async () => {
    const deadline = later();
    const signature = await signed(500n, deadline);
    const { v, r, s } = signature;
    const spender = operatorAddress(world.router, 'permitted', 'test');
    const args = [wallet.address, spender, 500n, deadline, v, r, s];
    await world.act(freshAddress(), world.token, testTokenInterface.encodeFunctionData('permit', args));
    expect((await pass(500n, deadline, signature)).ok).toBe(true);
    expect((await pass(500n, deadline, signature)).ok).toBe(true);
    expect(await allowance()).toBe(500n);

    await world.act(world.owner, world.token, testTokenInterface.encodeFunctionData('mint', [wallet.address, 500n]));
    const charge = { merchant: 'permitted', gross: 1n, to: [freshAddress()], amounts: [1n] };
    expect((await world.charge(world.newCharge(wallet.address, charge))).ok).toBe(true);
    const sent = await pass(500n, deadline, signature);
    expect(sent.reason).toMatchObject({ kind: 'permit_failed', allowance: 499n, value: 500n });
    expect(sent.reason).toMatchObject({ inner: { kind: 'permit_signer', owner: wallet.address } });
  });

  it('that has expired fails, with its deadline in the reason', async () => {
    const sent = await pass(2000n, 1n, await signed(2000n, 1n));
    const inner = { kind: 'permit_expired', deadline: 1n };
    expect(sent.reason).toMatchObject({ kind: 'permit_failed', value: 2000n, inner });
  });

  it('fails for a token without permits, and for an address without a token', async () => {
    const deadline = later();
    const signature = await signed(2000n, deadline);
    const silent = await world.deployTest('HostileToken');
    const reason = { kind: 'permit_failed', allowance: 0n, value: 2000n, inner: { kind: 'silent' } };
    expect((await pass(2000n, deadline, signature, silent.address)).reason).toEqual(reason);
    const old = await world.deployTest('NoReturnToken');
    expect((await pass(2000n, deadline, signature, old.address)).reason).toEqual(reason);
    const token = freshAddress();
    expect((await pass(2000n, deadline, signature, token)).reason).toEqual({ kind: 'not_a_token', token });
  });

  it('is passed on for senders only, while the router is not paused', async () => {
    const caller = freshAddress();
    const deadline = later();
    const signature = await signed(1n, deadline);
    const sent = await pass(1n, deadline, signature, world.token, caller);
    expect(sent.reason).toEqual({ kind: 'not_sender', caller });
    await asOwner('pause');
    expect((await pass(1n, deadline, signature)).reason).toEqual({ kind: 'paused' });
    await asOwner('unpause');
  });
});

describe('the code of a router', () => {
  it('equals the artifacts, and so do the implementations that it has created', async () => {
    const code = await world.code(world.router);
    expect(code).toBe(expectedRouterCode(world.router));
    expect(code).toBe(expectedRouterCode(world.router.toLowerCase()));
    expect(await routerTrouble((address) => world.code(address), world.router)).toBeNull();
  });

  it('differs at another address, and with one byte changed', async () => {
    const code = await world.code(world.router);
    expect(code).not.toBe(expectedRouterCode(freshAddress()));
    const troubleWith = (routerCode: string) =>
      routerTrouble(async (at) => (at === world.router ? routerCode : world.code(at)), world.router);
    const changed = `${code.slice(0, 2000)}${code[2000] === '0' ? '1' : '0'}${code.slice(2001)}`;
    expect(await troubleWith(changed)).toMatch(/is not the code of the router of this version$/);
    expect(await troubleWith('0x')).toMatch(/where the router is expected$/);
  });

  it('is not enough: a different implementation is found', async () => {
    const { operator } = implementationAddresses(world.router);
    const otherwise = (address: string) => (address === operator ? Promise.resolve('0x60006000') : world.code(address));
    expect(await routerTrouble(otherwise, world.router)).toBe(
      `The code at ${operator} is not the code of the operators' implementation of this version`,
    );
    const nothing = freshAddress();
    expect(await routerTrouble((address) => world.code(address), nothing)).toBe(
      `There is no contract at ${nothing}, where the router is expected`,
    );
  });
});

describe('the test token', () => {
  it('works the same where its code is put, without balances', async () => {
    const address = freshAddress();
    await world.rpc('anvil_setCode', [address, await world.code(world.token)]);
    const read = (name: string) => world.read(address, testTokenInterface, name);
    expect([await read('name'), await read('symbol'), await read('decimals'), await read('owner')]).toEqual([
      'Test USDC',
      'USDC',
      6n,
      world.owner,
    ]);
    const payer = await world.payerOf({ token: address });
    expect((await world.charge(world.newCharge(payer, { token: address }))).ok).toBe(true);
  });

  it('can be minted and listed by its owner only', async () => {
    const caller = freshAddress();
    const calls: [string, unknown[]][] = [
      ['mint', [caller, 1n]],
      ['setFrozen', [caller, true]],
      ['setRefusing', [caller, true]],
    ];
    const error = testTokenInterface.encodeErrorResult('NotOwner', [caller, world.owner]);
    for (const [name, args] of calls) {
      const result = await world.call(caller, world.token, testTokenInterface.encodeFunctionData(name, args));
      expect(result).toEqual({ ok: false, data: error });
    }
  });

  it('frees addresses that are taken off its lists', async () => {
    const [payer, to] = [await world.payerOf(), freshAddress()];
    await world.freeze(payer);
    await world.refuse(to);
    const send = () => world.send(payer, world.token, testTokenInterface.encodeFunctionData('transfer', [to, 1n]));
    expect((await send()).ok).toBe(false);
    await world.freeze(payer, false);
    expect((await send()).ok).toBe(false);
    await world.refuse(to, false);
    expect((await send()).ok).toBe(true);
  });
});
