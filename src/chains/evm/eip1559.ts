import { keccak256, type Signature } from 'ethers';
import { rlpBytes, rlpList, rlpNumber } from './rlp.ts';

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
