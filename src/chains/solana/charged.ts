import { NATIVE_COIN } from '../charges.ts';
import { isTokenProgram, MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { MEMO_PREFIX } from './transaction.ts';
import { instructionsOf, signersOf, type WireInstruction, type WireTransaction } from './wire.ts';

/** A transfer of a transaction, as its instruction says it. */
export interface ChargedShare {
  /** The account that received it. */
  readonly account: string;
  readonly amount: bigint;
}

/** A charge as a transaction on the chain made it. */
export interface Charged {
  readonly feePayer: string;
  readonly shares: readonly ChargedShare[];
}

export interface ChargeMarks {
  readonly key: string;
  readonly operator: string;
  readonly program: string;
}

/** The number of `transferChecked` among a token program's instructions. */
const TRANSFER_CHECKED = 12;
const TRANSFER_CHECKED_BYTES = 10;

/** The number of `transfer` among the System program's instructions, and how long it is. */
const LAMPORTS_TRANSFER = 2;
const LAMPORTS_TRANSFER_BYTES = 12;

/**
 * Reads what a transaction charged for this key; null when it is not the merchant's delegate's word: it has to have signed,
 * and the memo has to be the key. So nobody else can make a transaction that is taken for a charge.
 */
export function readCharged(found: WireTransaction, { key, operator, program }: ChargeMarks): Charged | null {
  const signers = signersOf(found);
  const [feePayer] = signers;
  const instructions = instructionsOf(found);
  const isNamed = instructions.some((each) => {
    return each.program === MEMO_PROGRAM && Buffer.from(each.data).toString('utf8') === `${MEMO_PREFIX}${key}`;
  });
  if (feePayer === undefined || !signers.includes(operator) || !isNamed) return null;
  const moved = instructions.filter((each) => each.program === program).flatMap((each) => transferIn(each) ?? []);
  const shares = moved.filter(({ authority }) => authority === operator);
  return { feePayer, shares: shares.map(({ account, amount }) => ({ account, amount })) };
}

/** What one instruction moves. */
export interface Transfer extends ChargedShare {
  readonly source: string;
  readonly mint: string;
  /** Who has to have signed for it. */
  readonly authority: string;
}

/** What a `transferChecked` of a token program, or a transfer of lamports, moves; null for any other instruction. */
export function transferIn({ program, accounts, data }: WireInstruction): Transfer | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM_PROGRAM) {
    const [source, account] = accounts;
    const isTransfer = data.length === LAMPORTS_TRANSFER_BYTES && view.getUint32(0, true) === LAMPORTS_TRANSFER;
    if (!isTransfer || source === undefined || account === undefined) return null;
    return { source, mint: NATIVE_COIN.solana, account, authority: source, amount: view.getBigUint64(4, true) };
  }
  const [source, mint, account, authority] = accounts;
  const isTransfer = data[0] === TRANSFER_CHECKED && data.length >= TRANSFER_CHECKED_BYTES;
  if (!isTransfer || !isTokenProgram(program)) return null;
  if (source === undefined || mint === undefined || account === undefined || authority === undefined) return null;
  return { source, mint, account, authority, amount: view.getBigUint64(1, true) };
}
