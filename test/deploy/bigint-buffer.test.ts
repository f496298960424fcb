import { createRequire } from 'node:module';

const { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE } = createRequire(import.meta.url)('bigint-buffer');

describe('numbers of Solana accounts as bytes', () => {
  it.each([
    ['00', 0n],
    ['01ff', 511n],
    ['ffffffffffffffff', 2n ** 64n - 1n],
    ['0000000000000001', 1n],
  ])('%s is %s, in both orders', (hex, number) => {
    const bytes = Buffer.from(hex, 'hex');
    const reversed = Buffer.from(bytes).reverse();
    expect([toBigIntBE(bytes), toBigIntLE(reversed)]).toEqual([number, number]);
    expect([toBufferBE(number, bytes.length), toBufferLE(number, bytes.length)]).toEqual([bytes, reversed]);
  });

  it('refuses a number that does not fit', () => {
    expect(() => toBufferLE(256n, 1)).toThrow('256 does not fit into 1 bytes');
    expect(() => toBufferBE(-1n, 8)).toThrow('-1 does not fit into 8 bytes');
  });
});
