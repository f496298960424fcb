import { AbiCoder, concat, Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { encodeChargeMany, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { transactionHash } from '../../../src/chains/evm/eip1559.ts';
import { encodeAggregate3 } from '../../../src/chains/evm/multicall.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';

const bytesOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const anyBytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
/** The recipients, and the amount of each. */
const shares = fc
  .array(fc.tuple(bytesOf(20), amount), { maxLength: 5 })
  .map((list) => [list.map(([to]) => to), list.map(([, each]) => each)] as const);
const charge = fc
  .record({
    key: bytesOf(32),
    merchant: bytesOf(32),
    token: bytesOf(20),
    from: bytesOf(20),
    gross: amount,
    shares,
  })
  .map(({ shares: [to, amounts], ...others }) => ({ ...others, to, amounts }));

const seconds = fc.integer({ min: 0, max: 2 ** 40 - 1 });
const mandateCharge = fc
  .record({
    mandate: fc.record({
      payer: bytesOf(20),
      merchant: bytesOf(32),
      token: bytesOf(20),
      perCharge: amount,
      charges: fc.nat(2 ** 31 - 1),
      interval: fc.nat(2 ** 31 - 1),
      months: fc.nat(2 ** 16 - 1),
      start: seconds,
      end: seconds,
      issuedAt: seconds,
      platform: bytesOf(20),
      feeBps: fc.nat(65_535),
      payees: fc.array(bytesOf(20), { maxLength: 4 }),
      agreement: bytesOf(32),
      terms: bytesOf(32),
      per30Days: amount,
    }),
    signature: anyBytes(140),
    cycle: fc.nat(2 ** 24 - 1),
    shares,
  })
  .map(({ shares: [to, amounts], ...others }) => ({ ...others, to, amounts }));

/** Our own encodings must equal those of ethers, byte for byte. */
describe('encodings', () => {
  it('of charges equal those of ethers', () => {
    const [open, bounded] = [fc.array(charge, { maxLength: 4 }), fc.array(mandateCharge, { maxLength: 4 })];
    fc.assert(
      fc.property(open, bounded, (one, other) => {
        expect(encodeChargeMany(one, other)).toBe(routerInterface.encodeFunctionData('chargeMany', [one, other]));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a key that is too short', { key: '0x12' }, 'not 32 bytes'],
    ['a payer that is no address', { from: '0x1234' }, 'not an address'],
    ['an amount below 0', { gross: -1n }, 'not a number of 256 bits'],
    ['an amount of more than 256 bits', { gross: 2n ** 256n }, 'not a number of 256 bits'],
  ])('of charges refuse %s', (_what, change, problem) => {
    const word = `0x${'11'.repeat(32)}`;
    const sound = { key: word, merchant: word, token: `0x${'22'.repeat(20)}`, from: `0x${'33'.repeat(20)}` };
    const one = { ...sound, gross: 1n, to: [], amounts: [], ...change };
    expect(() => encodeChargeMany([one])).toThrow(problem);
  });

  it('of many reads equal those of ethers', () => {
    const calls = fc.array(fc.record({ to: bytesOf(20), data: anyBytes(100) }), { maxLength: 6 });
    fc.assert(
      fc.property(calls, (reads) => {
        const rows = reads.map(({ to, data }) => [to, true, data]);
        const encoded = AbiCoder.defaultAbiCoder().encode(['(address,bool,bytes)[]'], [rows]);
        expect(encodeAggregate3(reads)).toBe(concat(['0x82ad56cb', encoded]));
      }),
      { numRuns: 60 },
    );
  });

  it('of signed transactions equal those of ethers', async () => {
    const wallet = new Wallet(`0x${'4b'.repeat(32)}`);
    const signer = createLocalSigner(wallet.privateKey);
    const small = fc.oneof(fc.constantFrom(0n, 127n, 128n), fc.bigInt({ min: 0n, max: 2n ** 64n }));
    const call = fc.record({
      chainId: fc.integer({ min: 1, max: 2 ** 31 }),
      nonce: fc.integer({ min: 0, max: 2 ** 32 }),
      gasLimit: small,
      fees: fc.tuple(small, small),
      value: small,
      to: bytesOf(20),
      data: fc.oneof(anyBytes(400), bytesOf(55), bytesOf(56)),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ fees: [one, other], ...fields }) => {
        const fees = { maxFeePerGas: one + other, maxPriorityFeePerGas: other };
        const asked = { type: 2, ...fields, ...fees };
        const expected = Transaction.from(asked);
        expected.signature = wallet.signingKey.sign(expected.unsignedHash);
        const raw = await signer.signTransaction(asked);
        expect(raw).toBe(expected.serialized);
        expect(transactionHash(raw)).toBe(expected.hash);
      }),
      { numRuns: 40 },
    );
  });

  it('of anything but a plain call are left to ethers', async () => {
    const wallet = new Wallet(`0x${'4c'.repeat(32)}`);
    const asked = {
      type: 2,
      chainId: 1,
      nonce: 0,
      gasLimit: 1n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      data: '0x60',
    };
    const signer = createLocalSigner(wallet.privateKey);
    await expect(signer.signTransaction({ ...asked, to: wallet.address, value: -1n })).rejects.toThrow('0 or more');
    const raw = await signer.signTransaction(asked);
    expect(Transaction.from(raw)).toMatchObject({ from: wallet.address, to: null, data: '0x60' });
  });
});
