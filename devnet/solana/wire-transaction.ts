import { type AddressLookupTableAccount, VersionedTransaction } from '@solana/web3.js';
import { toBase58 } from '../../src/chains/solana/keys.ts';
import { invalidParams } from './rpc-fault.ts';

/** The size of a packet; the real network drops longer transactions. */
const PACKET_BYTES = 1232;

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly decoded: VersionedTransaction;
  /** The base58 form of its first signature, which names the transaction. */
  readonly signature: string;
}

/**
 * Decodes a transaction, and accepts no other bytes, because the VM ends the process at anything else.
 * @throws RpcFault
 */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > PACKET_BYTES) {
    invalidParams(`transaction too large: ${bytes.length} bytes (max: ${PACKET_BYTES} bytes)`);
  }
  const decoded = decode(bytes);
  const [first] = decoded.signatures;
  const { header, staticAccountKeys } = decoded.message;
  const needed = header.numRequiredSignatures;
  if (first === undefined || decoded.signatures.length !== needed || needed > staticAccountKeys.length) {
    invalidParams(`failed to sanitize transaction: ${decoded.signatures.length} signatures, ${needed} required`);
  }
  return { bytes, decoded, signature: toBase58(first) };
}

function decode(bytes: Uint8Array): VersionedTransaction {
  try {
    const decoded = VersionedTransaction.deserialize(bytes);
    if (Buffer.from(decoded.serialize()).equals(bytes)) return decoded;
  } catch {
    // The error below covers this case and trailing bytes.
  }
  return invalidParams('failed to deserialize a transaction');
}

/** The addresses that a transaction loads from tables, in the order of the message. */
export interface Loaded {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

/** The addresses in a table's account; null: there is no such table. */
export type ReadTable = (address: string) => AddressLookupTableAccount['state']['addresses'] | null;

/** The addresses that the message loads. Those that no table has are left out; the VM refuses the transaction. */
export function loadedOf({ decoded }: WireTransaction, read: ReadTable): Loaded {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of decoded.message.addressTableLookups) {
    const addresses = read(lookup.accountKey.toBase58()) ?? [];
    const at = (index: number): string[] => {
      const address = addresses[index];
      return address ? [address.toBase58()] : [];
    };
    writable.push(...lookup.writableIndexes.flatMap(at));
    readonly.push(...lookup.readonlyIndexes.flatMap(at));
  }
  return { writable, readonly };
}

/** Every account of a transaction in the order of their numbers, with its rights. */
export function accountsOf(transaction: WireTransaction, loaded: Loaded) {
  const { message } = transaction.decoded;
  const fixed = message.staticAccountKeys.map((key, index) => ({
    address: toBase58(key.toBytes()),
    isSigner: index < message.header.numRequiredSignatures,
    isWritable: message.isAccountWritable(index),
  }));
  const fromTables = (list: readonly string[], isWritable: boolean) =>
    list.map((address) => ({ address, isSigner: false, isWritable }));
  return [...fixed, ...fromTables(loaded.writable, true), ...fromTables(loaded.readonly, false)];
}
