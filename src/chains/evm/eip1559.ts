import { keccak256, type Signature } from 'ethers';

/** The fields of an EIP-1559 transaction without an access list. `to` is an address, `data` 0x-hex. */
export interface Eip1559 {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

const TYPE = Buffer.of(2);
const NO_ACCESS_LIST = rlpList([]);

/** The signed bytes (0x-hex). `sign` gets the hash to sign (0x-hex). Each part is encoded once. */
export function signEip1559(transaction: Eip1559, sign: (digest: string) => Signature): string {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data } = transaction;
  const fields = [
    ...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(rlpNumber),
    rlpBytes(bytesIn(to, 20)),
    rlpNumber(value),
    rlpBytes(bytesIn(data)),
    NO_ACCESS_LIST,
  ];
  const { yParity, r, s } = sign(keccak256(Buffer.concat([TYPE, rlpList(fields)])));
  const signature = [BigInt(yParity), BigInt(r), BigInt(s)].map(rlpNumber);
  return `0x${Buffer.concat([TYPE, rlpList([...fields, ...signature])]).toString('hex')}`;
}

/** The transaction's hash (0x-hex), from its signed bytes. */
export function transactionHash(raw: string): string {
  return keccak256(bytesIn(raw));
}

function bytesIn(hex: string, length?: number): Buffer {
  const bytes = Buffer.from(hex.slice(2), 'hex');
  const isWhole = hex.startsWith('0x') && bytes.length * 2 === hex.length - 2;
  if (!isWhole || (length !== undefined && bytes.length !== length)) {
    throw new Error(`${hex.slice(0, 42)} is not ${length ?? 'a whole number of'} bytes in hex`);
  }
  return bytes;
}

/**
 * RLP (Ethereum yellow paper, appendix B), the part that transactions need, on bytes. ethers encodes through
 * hexadecimal text; for the data of 50 charges that takes longer than signing it.
 */

/** The encoding of a string of bytes. */
function rlpBytes(bytes: Uint8Array): Buffer {
  const only = bytes.length === 1 ? bytes[0] : undefined;
  if (only !== undefined && only < 0x80) return Buffer.from(bytes);
  return Buffer.concat([header(0x80, bytes.length), bytes]);
}

/** The encoding of a number of 0 or more: its bytes without leading zeros. */
function rlpNumber(value: bigint): Buffer {
  if (value < 0n) throw new RangeError(`${value}: expected a number of 0 or more`);
  return rlpBytes(bytesOf(value));
}

/** The encoding of a list of encoded items. */
function rlpList(items: readonly Uint8Array[]): Buffer {
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
