/**
 * The words of call data (Solidity's ABI), as hexadecimal text without `0x`. They make up the data of every charge:
 * ethers takes a quarter of a millisecond for one charge, more than all other work to sign it.
 */

const DIGITS = 64;

/** A number of 0 or more. Throws a RangeError if it has more than 256 bits. */
export function word(value: bigint): string {
  const hex = value.toString(16);
  if (value < 0n || hex.length > DIGITS) throw new RangeError(`${value} is not a number of 256 bits`);
  return hex.padStart(DIGITS, '0');
}

/** A length or an offset, in bytes. */
export function count(value: number): string {
  return value.toString(16).padStart(DIGITS, '0');
}

/** Throws a TypeError if it is not 32 bytes in 0x-hex. */
export function bytes32(hex: string): string {
  if (!/^0x[0-9a-f]{64}$/i.test(hex)) throw new TypeError(`${hex} is not 32 bytes in hex`);
  return hex.slice(2).toLowerCase();
}

/** Throws a TypeError if it is not 20 bytes in 0x-hex. Upper and lower case are equal. */
export function address(hex: string): string {
  if (!/^0x[0-9a-f]{40}$/i.test(hex)) throw new TypeError(`${hex} is not an address`);
  return hex.slice(2).toLowerCase().padStart(DIGITS, '0');
}

/** Bytes of any length, after their length. Throws a TypeError if it is not 0x-hex. */
export function bytes(hex: string): string {
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(hex)) throw new TypeError(`${hex.slice(0, 42)} is not bytes in hex`);
  const digits = hex.slice(2).toLowerCase();
  return count(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / DIGITS) * DIGITS, '0');
}

/** A list of parts with different lengths: their number, the offset of each, and the parts. */
export function list(parts: readonly string[]): string {
  let at = parts.length * 32;
  const offsets = parts.map((part) => {
    const offset = at;
    at += part.length / 2;
    return count(offset);
  });
  return count(parts.length) + offsets.join('') + parts.join('');
}
