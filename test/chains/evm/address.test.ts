import * as ethers from 'ethers';
import fc from 'fast-check';
import { getAddress, parseAddress } from '../../../src/chains/evm/address.ts';
import { remembered } from '../../../src/chains/remembered.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => ethers.hexlify(bytes));

describe('an EVM address', () => {
  it('has the checksum of ethers in every spelling, each time', () => {
    fc.assert(
      fc.property(address, (lower) => {
        const right = ethers.getAddress(lower);
        const upper = `0x${lower.slice(2).toUpperCase()}`;
        for (const text of [lower, upper, right, lower, upper, right]) {
          expect(getAddress(text)).toBe(right);
          expect(parseAddress(text)).toBe(right);
        }
      }),
    );
  });

  it('is refused with another checksum, also after it was read with the right one', () => {
    const right = getAddress('0x52908400098527886e0f7030069857d2e4169ee7');
    const wrong = right.replace('E', 'e');
    expect(() => getAddress(wrong)).toThrow('bad address checksum');
    expect(() => getAddress(wrong)).toThrow('bad address checksum');
    expect(parseAddress(wrong)).toBeNull();
  });

  it.each([
    '',
    '0x',
    '52908400098527886e0f7030069857d2e4169ee7',
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
    `0x${'0'.repeat(39)}`,
    `0x${'0'.repeat(41)}`,
    `0x${'g'.repeat(40)}`,
  ])('is not %p', (text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

describe('a remembered value', () => {
  it('is made once', () => {
    const known = new Map<string, string>();
    const made: string[] = [];
    const make = (name: string): string => {
      made.push(name);
      return name.toUpperCase();
    };
    expect([remembered(known, 'a', make), remembered(known, 'b', make), remembered(known, 'a', make)]).toEqual([
      'A',
      'B',
      'A',
    ]);
    expect(made).toEqual(['a', 'b']);
  });

  it('needs bounded memory', () => {
    const known = new Map<string, string>();
    for (let index = 0; index < 25_000; index += 1) {
      expect(remembered(known, `${index}`, (name) => `made of ${name}`)).toBe(`made of ${index}`);
      expect(known.size).toBeLessThanOrEqual(10_000);
    }
  });
});
