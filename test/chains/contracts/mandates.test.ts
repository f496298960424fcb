import { AbiCoder, hexlify, id, keccak256, randomBytes, TypedDataEncoder, toBeHex, Wallet } from 'ethers';
import { BUCKET_S } from '../../../machines/rules/thirty-days.ts';
import {
  type Mandate,
  type MandateCharge,
  mandateHash,
  mandateTypedData,
} from '../../../src/chains/evm/contracts/mandates.ts';
import {
  deployRouterData,
  mandateOperatorAddress,
  merchantSalt,
  operatorAddress,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import { freshAddress } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import {
  CHAIN_ID,
  DAY,
  MONTH,
  outcomeOf,
  PayerWithMandate,
  refusalOf,
  sendMandateCharges,
  withAllFields,
} from './payer-with-mandate.ts';
import { useRouter } from './world.ts';

const world = useRouter();

async function now(): Promise<number> {
  return (await world.anvil.provider.getBlock('latest'))?.timestamp ?? Number.NaN;
}

describe('a charge under a mandate', () => {
  it('has the hash and the key that ethers computes', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ payees: [freshAddress(), freshAddress()], end: 2_000_000_000 });
    const read = (name: string, values: readonly unknown[]) => world.read(world.router, routerInterface, name, values);
    const limited = { ...mandate, per30Days: 9_000n };
    expect(await read('mandateHash', [limited])).toBe(mandateHash(CHAIN_ID, world.router, limited));
    const unlimited = { ...mandate, per30Days: 0n };
    expect(await read('mandateHash', [unlimited])).toBe(mandateHash(CHAIN_ID, world.router, mandate));
    expect(await read('cycleKey', [mandate.agreement, 7])).toBe(mandateKey(mandate.agreement, 7));
  });

  it('is refused while the router is paused', async () => {
    const payer = await PayerWithMandate.create(world);
    const charge = await payer.charge(payer.mandate());
    await world.callRouter('pause');
    const data = routerInterface.encodeFunctionData('chargeMandate', [withAllFields(charge)]);
    const alone = await world.send(world.sender, world.router, data);
    expect(alone.reason).toEqual({ kind: 'paused' });
    expect((await sendMandateCharges(world, [charge])).reason).toEqual({ kind: 'paused' });
    await world.callRouter('unpause');
    expect(await outcomeOf(world, charge)).toBeNull();
  });

  it('needs the signature only once', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ interval: 0 });
    expect(await outcomeOf(world, await payer.charge(mandate, { signature: '0x' }))).toBe('bad_signature');
    expect(await outcomeOf(world, await payer.charge(mandate))).toBeNull();
    expect(await outcomeOf(world, await payer.charge(mandate, { signature: '0x', cycle: 2 }))).toBeNull();
  });
});

describe('the signature of a mandate', () => {
  it.each<[string, Partial<Mandate>]>([
    ['payer', { payer: freshAddress() }],
    ['merchant', { merchant: merchantSalt('m2', 'test') }],
    ['amount', { perCharge: 1_001n }],
    ['number of charges', { charges: 13 }],
    ['interval', { interval: MONTH - 1 }],
    ['rhythm', { interval: 0, months: 1 }],
    ['start', { start: 1 }],
    ['end', { end: 2_000_000_000 }],
    ['moment of issue', { issuedAt: 2 }],
    ['platform', { platform: freshAddress() }],
    ['fee', { feeBps: 101 }],
    ['payees', { payees: [freshAddress()] }],
    ['agreement', { agreement: newKey() }],
    ['terms', { terms: newKey() }],
    ['limit of 30 days', { per30Days: 1_000n }],
  ])('does not hold for another %s', async (_what, change) => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate();
    const to = [change.payees?.[0] ?? payer.payee, change.platform ?? payer.platform];
    const charge = await payer.charge(mandate, { mandate: { ...mandate, ...change }, to });
    expect(await refusalOf(world, charge)).toMatchObject({ kind: 'bad_signature' });
  });

  it('does not hold for another token, router or chain, and not if another key made it', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate();
    const other = await world.deployToken('OTH', 6);
    await world.mint(payer.address, 5_000n, other);
    await world.approveOperator(payer.address, mandateOperatorAddress(world.router, 'm1', 'test'), 5_000n, other);
    const swapped = await payer.charge(mandate, { mandate: { ...mandate, token: other } });
    expect(await outcomeOf(world, swapped)).toBe('bad_signature');
    const router = await world.deploy(deployRouterData(world.owner, [world.sender]));
    const charge = withAllFields(await payer.charge(mandate));
    const data = routerInterface.encodeFunctionData('chargeMandate', [charge]);
    expect((await world.send(world.sender, router, data)).reason).toMatchObject({ kind: 'bad_signature' });
    const forged = await payer.charge(mandate, { signature: await payer.sign(mandate, Wallet.createRandom()) });
    expect(await outcomeOf(world, forged)).toBe('bad_signature');
    const noise = await payer.charge(mandate, { signature: hexlify(randomBytes(65)) });
    expect(await outcomeOf(world, noise)).toBe('bad_signature');
  });
});

describe('the limits of a mandate', () => {
  it('are the amount of a charge and the number of charges', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ interval: 0, charges: 2 });
    const tooMuch = await payer.charge(mandate, { amounts: [991n, 10n] });
    expect(await refusalOf(world, tooMuch)).toEqual({ kind: 'above_per_charge', gross: 1_001n, perCharge: 1_000n });
    for (const cycle of [1, 2]) expect(await outcomeOf(world, await payer.charge(mandate, { cycle }))).toBeNull();
    const third = await refusalOf(world, await payer.charge(mandate, { cycle: 3 }));
    expect(third).toEqual({ kind: 'used_up', charges: 2n });
    expect(await world.balanceOf(payer.address)).toBe(998_000n);
  });

  it('are its start and its end, to the second', async () => {
    const payer = await PayerWithMandate.create(world);
    const start = (await now()) + 1_000;
    const mandate = payer.mandate({ start, end: start + DAY, interval: 0 });
    await world.at(start - 1);
    expect(await outcomeOf(world, await payer.charge(mandate))).toBe('too_early');
    await world.at(start);
    expect(await outcomeOf(world, await payer.charge(mandate))).toBeNull();
    await world.at(start + DAY);
    expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 2 }))).toBeNull();
    await world.at(start + DAY + 1);
    expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 3 }))).toBe('too_late');
  });

  it('are its rhythm: eight days ahead of it a charge is made, and not a second before', async () => {
    const payer = await PayerWithMandate.create(world);
    const start = (await now()) + 1_000;
    const mandate = payer.mandate({ start });
    await world.at(start);
    expect(await outcomeOf(world, await payer.charge(mandate))).toBeNull();
    await world.at(start + MONTH - 8 * DAY - 1);
    const early = await refusalOf(world, await payer.charge(mandate, { cycle: 2 }));
    expect(early).toEqual({ kind: 'ahead_of_rhythm', from: BigInt(start + MONTH - 8 * DAY) });
    await world.at(start + MONTH - 8 * DAY);
    expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 2 }))).toBeNull();
    await world.at(start + 2 * MONTH - 8 * DAY - 1);
    expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 3 }))).toBe('ahead_of_rhythm');
  });

  it('are calendar months with the day and the time of the start, or the last day of a month without it', async () => {
    const payer = await PayerWithMandate.create(world);
    const day = (text: string) => Date.parse(text) / 1_000;
    const start = day('2031-01-31T10:00:00Z');
    const mandate = payer.mandate({ start, interval: 0, months: 1 });
    const dates = ['2031-01-31', '2031-02-28', '2031-03-31', '2031-04-30', '2031-05-31'];
    for (const [index, date] of dates.entries()) {
      const due = day(`${date}T10:00:00Z`);
      const charge = await payer.charge(mandate, { cycle: index + 1 });
      if (index > 0) {
        await world.at(due - 8 * DAY - 1);
        const early = { kind: 'ahead_of_rhythm', from: BigInt(due - 8 * DAY) };
        expect(await refusalOf(world, charge)).toEqual(early);
      }
      await world.at(index % 2 === 0 ? due : due - 8 * DAY);
      expect(await outcomeOf(world, charge)).toBeNull();
    }
  });

  it('are thirteen charges in the first year of a monthly mandate, whoever makes them', async () => {
    const payer = await PayerWithMandate.create(world);
    const start = Date.parse('2033-03-15T00:00:00Z') / 1_000;
    const mandate = payer.mandate({ start, interval: 0, months: 1, charges: 0 });
    let made = 0;
    for (let moment = start; moment < start + 365 * DAY; moment += DAY) {
      await world.at(moment);
      const charge = await payer.charge(mandate, { cycle: made + 1 });
      if ((await outcomeOf(world, charge)) === null) made += 1;
    }
    expect(made).toBe(13);
  });

  it('let nobody catch up on charges that were not made', async () => {
    const payer = await PayerWithMandate.create(world);
    const start = (await now()) + 1_000;
    const mandate = payer.mandate({ start });
    await world.at(start + 10 * MONTH);
    expect(await outcomeOf(world, await payer.charge(mandate))).toBeNull();
    expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 2 }))).toBe('ahead_of_rhythm');
  });
});

describe('the limit of 30 days of a mandate', () => {
  const month = 30 * DAY;

  /** The payer of a mandate without a rhythm, at the beginning of a bucket of time. */
  async function limited(change: Partial<Mandate> = {}) {
    const payer = await PayerWithMandate.create(world);
    const start = Math.ceil(((await now()) + 1_000) / BUCKET_S) * BUCKET_S;
    await world.at(start);
    const mandate = payer.mandate({ interval: 0, charges: 0, per30Days: 2_500n, ...change });
    let cycle = 0;
    const take = async (moment: number, amount = 1_000n, under = mandate) => {
      await world.at(moment);
      cycle += 1;
      return refusalOf(world, await payer.charge(under, { cycle, to: [payer.payee], amounts: [amount] }));
    };
    return { payer, mandate, start, take };
  }

  it('is kept in any 30 days, and a charge counts for one bucket more at most', async () => {
    const { start, take } = await limited();
    expect(await take(start + 1)).toBeNull();
    expect(await take(start + 20 * DAY)).toBeNull();
    const above = { kind: 'above_per_30_days', sum: 3_000n, per30Days: 2_500n };
    expect(await take(start + 20 * DAY + 1)).toEqual(above);
    expect(await take(start + 20 * DAY + 2, 500n)).toBeNull();
    // The first charge is forgotten once its whole bucket is 30 days ago.
    expect(await take(start + month + 1, 1n)).toEqual({ ...above, sum: 2_501n });
    expect(await take(start + month + BUCKET_S - 1, 1n)).toEqual({ ...above, sum: 2_501n });
    expect(await take(start + month + BUCKET_S)).toBeNull();
  });

  it('goes on under a new mandate of the agreement, with what the ones before have taken', async () => {
    const { payer, mandate, start, take } = await limited();
    for (const at of [1, 2]) expect(await take(start + at)).toBeNull();
    const next = { ...mandate, issuedAt: 2, terms: newKey() };
    expect(await take(start + 3, 1_000n, next)).toMatchObject({ kind: 'above_per_30_days', sum: 3_000n });
    expect(await take(start + 4, 1_000n, { ...next, issuedAt: 3, per30Days: 3_000n })).toBeNull();
    const other = { ...mandate, agreement: newKey() };
    expect(await take(start + 5, 1_000n, other)).toBeNull();
    expect(await world.balanceOf(payer.payee)).toBe(4_000n);
  });

  it('does not count a charge that was refused', async () => {
    const { payer, start, take } = await limited();
    await world.refuse(payer.payee);
    for (const at of [1, 2, 3]) expect(await take(start + at)).toMatchObject({ kind: 'share_pull_failed' });
    await world.refuse(payer.payee, false);
    for (const at of [4, 5]) expect(await take(start + at)).toBeNull();
  });

  it('costs the reading of nine buckets, and a new one', async () => {
    const { payer, mandate, start } = await limited();
    const { per30Days: _, ...unlimited } = { ...mandate, agreement: newKey() };
    const gasOf = async (moment: number, cycle: number, under: Mandate = mandate) => {
      await world.at(moment);
      const charge = await payer.charge(under, { cycle, amounts: [99n, 1n] });
      return Number((await sendMandateCharges(world, [charge])).gasUsed);
    };
    await gasOf(start + 1, 1);
    await gasOf(start + 2, 1, unlimited);
    const [none, same] = [await gasOf(start + 3, 2, unlimited), await gasOf(start + 4, 2)];
    const next = await gasOf(start + BUCKET_S, 3);
    process.stdout.write(`gas of a limit of 30 days: ${same - none}, with a new bucket ${next - none}\n`);
    expect(next - none).toBeLessThan(46_000);
  });
});

describe('the recipients of a mandate', () => {
  it('are its payees, and the platform for its fee', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ interval: 0 });
    const thief = freshAddress();
    const stolen = await payer.charge(mandate, { to: [thief, payer.platform] });
    expect(await refusalOf(world, stolen)).toEqual({ kind: 'not_payee', index: 0, recipient: thief });
    const greedy = await payer.charge(mandate, { amounts: [989n, 11n] });
    expect(await refusalOf(world, greedy)).toEqual({ kind: 'above_fee', fee: 11n, feeBps: 100n });
    const split = { to: [payer.platform, payer.payee, payer.platform], amounts: [6n, 989n, 5n] };
    expect(await outcomeOf(world, await payer.charge(mandate, split))).toBe('above_fee');
    expect(await outcomeOf(world, await payer.charge(mandate, { to: [payer.payee], amounts: [1_000n] }))).toBeNull();
  });

  it('are never the token, the router, the operator or nobody', async () => {
    const payer = await PayerWithMandate.create(world);
    const operator = mandateOperatorAddress(world.router, 'm1', 'test');
    for (const recipient of [world.token, world.router, operator, `0x${'00'.repeat(20)}`]) {
      const mandate = payer.mandate({ payees: [recipient] });
      const charge = await payer.charge(mandate, { to: [recipient], amounts: [1_000n] });
      expect(await refusalOf(world, charge)).toMatchObject({ kind: 'bad_recipient', index: 0 });
    }
  });
});

describe('a cycle', () => {
  it('is charged once, in whatever order', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ interval: 0, charges: 0 });
    const charge = async (cycle: number) => outcomeOf(world, await payer.charge(mandate, { cycle }));
    expect(await charge(0)).toBe('cycle_out_of_range');
    for (const cycle of [40, 42, 41, 11, 43]) expect(await charge(cycle)).toBeNull();
    for (const cycle of [40, 41, 42, 43]) expect(await charge(cycle)).toBe('seen');
    expect(await charge(11)).toBe('cycle_out_of_range');
    expect(await charge(12)).toBeNull();
    expect(await charge(75)).toBe('cycle_out_of_range');
    expect(await charge(74)).toBeNull();
    expect(await charge(43)).toBe('seen');
    const { merchant, agreement } = mandate;
    const seen = (cycle: number) =>
      world.read(world.router, routerInterface, 'cycleSeen', [payer.address, merchant, agreement, cycle]);
    expect(await Promise.all([75, 74, 73, 43, 42].map(seen))).toEqual([false, true, false, true, true]);
  });
});

describe('of the mandates of one agreement', () => {
  it('the one in force is known by its whole hash: one that differs in the last bit is none', async () => {
    const payer = await PayerWithMandate.create(world);
    const mandate = payer.mandate({ interval: 0 });
    expect(await outcomeOf(world, await payer.charge(mandate))).toBeNull();
    const { payer: owner, merchant, agreement } = mandate;
    const encode = AbiCoder.defaultAbiCoder();
    const key = keccak256(encode.encode(['address', 'bytes32', 'bytes32'], [owner, merchant, agreement]));
    const slot = keccak256(encode.encode(['bytes32', 'uint256'], [key, 0]));
    const stored = String(await world.rpc('eth_getStorageAt', [world.router, slot, 'latest']));
    const { domain, types, message } = mandateTypedData(CHAIN_ID, world.router, mandate);
    expect([domain.chainId, stored]).toEqual([CHAIN_ID, TypedDataEncoder.hashStruct('Mandate', types, message)]);
    const other = toBeHex(BigInt(stored) ^ 1n, 32);
    await world.rpc('anvil_setStorageAt', [world.router, slot, other]);
    const unsigned = await payer.charge(mandate, { signature: '0x', cycle: 2 });
    expect(await outcomeOf(world, unsigned)).toBe('superseded');
  });

  it('only the newest counts that was used, with a count and a rhythm of its own', async () => {
    const payer = await PayerWithMandate.create(world);
    const [old, next] = [payer.mandate({ charges: 1 }), payer.mandate({ charges: 1, issuedAt: 2, perCharge: 1_500n })];
    expect(await outcomeOf(world, await payer.charge(old))).toBeNull();
    expect(await outcomeOf(world, await payer.charge(old, { cycle: 2 }))).toBe('used_up');
    expect(await outcomeOf(world, await payer.charge(next, { cycle: 1 }))).toBe('seen');
    expect(await outcomeOf(world, await payer.charge(next, { cycle: 2 }))).toBeNull();
    const again = await refusalOf(world, await payer.charge(old, { cycle: 3 }));
    expect(again).toEqual({ kind: 'superseded', issuedAt: 1n, inForce: 2n });
    const twin = payer.mandate({ issuedAt: 2 });
    expect(await outcomeOf(world, await payer.charge(twin, { cycle: 3 }))).toBe('superseded');
  });

  it('none is charged after the payer has revoked it, used or not, old or new', async () => {
    const payer = await PayerWithMandate.create(world);
    const used = payer.mandate({ interval: 0 });
    expect(await outcomeOf(world, await payer.charge(used))).toBeNull();
    const args = [used.merchant, used.agreement];
    await world.callRouter('revoke', args, freshAddress());
    expect(await outcomeOf(world, await payer.charge(used, { cycle: 2 }))).toBeNull();
    await world.callRouter('revoke', args, payer.address);
    for (const mandate of [used, payer.mandate({ issuedAt: 9 }), payer.mandate({ issuedAt: 2 ** 40 - 1 })]) {
      expect(await outcomeOf(world, await payer.charge(mandate, { cycle: 3 }))).toBe('revoked');
    }
    const last = payer.mandate({ agreement: newKey(), issuedAt: 2 ** 40 - 1 });
    expect(await outcomeOf(world, await payer.charge(last))).toBe('superseded');
    expect(await outcomeOf(world, await payer.charge({ ...last, issuedAt: 0 }))).toBe('superseded');
    const unused = payer.mandate({ agreement: newKey() });
    await world.callRouter('revoke', [unused.merchant, unused.agreement], payer.address);
    expect(await outcomeOf(world, await payer.charge(unused))).toBe('revoked');
  });
});

describe('what was approved under a mandate', () => {
  it('is out of reach of every other charge', async () => {
    const payer = await PayerWithMandate.create(world);
    const operator = mandateOperatorAddress(world.router, 'm1', 'test');
    expect(operator).not.toBe(operatorAddress(world.router, 'm1', 'test'));
    const open = await world.charge(world.newCharge(payer.address));
    expect(open.reason).toMatchObject({ kind: 'pull_failed' });
    const pull = id('pull(address,address,address[],uint256[])').slice(0, 10);
    expect((await world.send(world.sender, operator, pull)).ok).toBe(false);
    expect(await world.balanceOf(payer.address)).toBe(1_000_000n);
  });
});

describe('a token', () => {
  it.each([
    { mode: 'KeepsFee', kind: 'arrival_mismatch' },
    { mode: 'AnswersPullWithFalse', kind: 'share_pull_failed' },
  ] as const)('($mode) is not paid with', async ({ mode, kind }) => {
    const token = await world.deployTest('HostileToken');
    await world.setMode(token, mode);
    const payer = await PayerWithMandate.create(world, token.address);
    expect(await outcomeOf(world, await payer.charge(payer.mandate({ token: token.address })))).toBe(kind);
    expect(await world.balanceOf(payer.address, token.address)).toBe(1_000_000n);
  });
});

describe('a batch', () => {
  it('costs less for each charge than the open ones', async () => {
    const [payee, platform] = [freshAddress(), freshAddress()];
    for (const each of [payee, platform]) await world.mint(each, 1n);
    const SIZE = 50;
    const start = await now();
    const charges: MandateCharge[] = [];
    // One after the other: the node numbers the owner's mints itself.
    for (let index = 0; index < SIZE; index += 1) {
      const payer = await PayerWithMandate.create(world);
      const mandate = payer.mandate({ interval: 0, months: 1, start, payees: [payee], platform });
      charges.push(await payer.charge(mandate, { to: [payee, platform] }));
    }
    const first = await sendMandateCharges(world, charges, 25_000_000n);
    await world.at((await now()) + 31 * DAY);
    // With the signature, as the service sends each charge.
    const later = charges.map((charge) => ({ ...charge, cycle: 2 }));
    const second = await sendMandateCharges(world, later, 25_000_000n);
    expect([first, second].map(({ charges }) => charges.filter(({ kind }) => kind === 'charged').length)).toEqual([
      SIZE,
      SIZE,
    ]);
    const each = ({ gasUsed }: { gasUsed: bigint }) => Number(gasUsed) / SIZE;
    process.stdout.write(`gas per charge under a mandate, two shares: first ${each(first)}, later ${each(second)}\n`);
    expect(each(second)).toBeLessThan(60_000);
  });
});
