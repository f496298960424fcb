import { keccak256, toUtf8Bytes } from 'ethers';
import fc from 'fast-check';
import { useFastKeccak } from '../../../src/chains/evm/keccak.ts';

describe('Keccak-256 in WebAssembly', () => {
  it('gives the hashes of ethers', async () => {
    const slow = keccak256._;
    await useFastKeccak();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_000 }), (data) => {
        const before = Buffer.from(slow(data)).toString('hex');
        expect(keccak256(data)).toBe(`0x${before}`);
      }),
    );
  });

  it('gives the hash of the specification for no bytes', async () => {
    await useFastKeccak();
    expect(keccak256(toUtf8Bytes(''))).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });
});
