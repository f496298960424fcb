/**
 * RLP (Ethereum yellow paper, appendix B), the part that transactions need, on bytes. ethers encodes through
 * hexadecimal text; for the data of 50 charges that takes longer than signing it.
 */

/** The encoding of a string of bytes. */
export function rlpBytes(bytes: Uint8Array): Buffer {
  const only = bytes.length === 1 ? bytes[0] : undefined;
  if (only !== undefined && only < 0x80) return Buffer.from(bytes);
  return Buffer.concat([header(0x80, bytes.length), bytes]);
}

/** The encoding of a number of 0 or more: its bytes without leading zeros. */
export function rlpNumber(value: bigint): Buffer {
  if (value < 0n) throw new RangeError(`${value}: expected a number of 0 or more`);
  return rlpBytes(bytesOf(value));
}

/** The encoding of a list of encoded items. */
export function rlpList(items: readonly Uint8Array[]): Buffer {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([header(0xc0, length), ...items]);
}

function header(offset: number, length: number): Buffer {
  if (length <= 55) return Buffer.of(offset + length);
  const size = bytesOf(BigInt(length));
  return Buffer.concat([Buffer.of(offset + 55 + size.length), size]);
}

function bytesOf(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0);
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
