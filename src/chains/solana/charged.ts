import { VersionedTransaction } from '@solana/web3.js';
import { MEMO_PROGRAM } from './programs.ts';
import { MEMO_PREFIX } from './transaction.ts';

/** A transfer of a transaction, as its instruction says it. */
export interface ChargedShare {
  /** The token account that received it. */
  readonly account: string;
  readonly amount: bigint;
}

/** A charge as a transaction on the chain made it. */
export interface Charged {
  readonly feePayer: string;
  readonly shares: readonly ChargedShare[];
  /** The addresses of all its accounts, in the order of their numbers. */
  readonly addresses: readonly string[];
}

export interface ChargeMarks {
  readonly key: string;
  readonly operator: string;
  readonly program: string;
}

/** The number of `transferChecked` among a token program's instructions. */
const TRANSFER_CHECKED = 12;
const TRANSFER_CHECKED_BYTES = 10;

/**
 * Reads what a transaction charged for this key; null when it is not the merchant's delegate's word: it has to have signed,
 * and the memo has to be the key. So nobody else can make a transaction that is taken for a charge.
 */
export function readCharged(bytes: Uint8Array, { key, operator, program }: ChargeMarks): Charged | null {
  const { message } = VersionedTransaction.deserialize(bytes);
  const addresses = message.staticAccountKeys.map(String);
  const feePayer = addresses[0];
  const signers = addresses.slice(0, message.header.numRequiredSignatures);
  const isOf = (address: string) => (instruction: { readonly programIdIndex: number }) =>
    addresses[instruction.programIdIndex] === address;
  const memos = message.compiledInstructions.filter(isOf(MEMO_PROGRAM));
  const isNamed = memos.some(({ data }) => Buffer.from(data).toString('utf8') === `${MEMO_PREFIX}${key}`);
  if (feePayer === undefined || !signers.includes(operator) || !isNamed) return null;
  const shares = message.compiledInstructions.filter(isOf(program)).flatMap(({ accountKeyIndexes, data }) => {
    const [, , target, authority] = accountKeyIndexes;
    const account = addresses[target ?? -1];
    const isPull = data[0] === TRANSFER_CHECKED && data.length >= TRANSFER_CHECKED_BYTES;
    if (!isPull || account === undefined || addresses[authority ?? -1] !== operator) return [];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    return [{ account, amount: view.getBigUint64(1, true) }];
  });
  return { feePayer, shares, addresses };
}
