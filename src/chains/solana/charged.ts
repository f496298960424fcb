import type { OnChainCharge } from '../chain-reader.ts';
import { NATIVE_COIN } from '../charges.ts';
import { type ChargeRecord, readChargeMemo, readPayeeMemo } from './memo.ts';
import { isTokenProgram, MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { instructionsOf, ownersOf, signersOf, type WireInstruction, type WireTransaction } from './wire.ts';

/** One transfer in a transaction, as its instruction states it. */
interface ChargedShare {
  /** The receiving token account; for lamports, the receiving wallet. */
  readonly account: string;
  readonly amount: bigint;
}

/** A charge as a transaction on the chain made it. */
export interface Charged {
  readonly feePayer: string;
  readonly shares: readonly ChargedShare[];
}

interface ChargeMarks {
  readonly key: string;
  readonly operator: string;
  readonly program: string;
}

/** The number of `transferChecked` among a token program's instructions, and its shortest length in bytes. */
const TRANSFER_CHECKED = 12;
const TRANSFER_CHECKED_BYTES = 10;

/** The number of `transfer` among the System program's instructions, and its length in bytes. */
const LAMPORTS_TRANSFER = 2;
const LAMPORTS_TRANSFER_BYTES = 12;

/**
 * Reads the charge of this key from a transaction. Null: the operator did not sign the transaction, or the memo is not
 * the key. So nobody else can make a transaction that counts as a charge.
 */
export function readCharged(found: WireTransaction, { key, operator, program }: ChargeMarks): Charged | null {
  const signers = signersOf(found);
  const [feePayer] = signers;
  const instructions = instructionsOf(found);
  const isNamed = instructions.some((each) => {
    return each.program === MEMO_PROGRAM && readChargeMemo(each.data)?.key === key;
  });
  if (feePayer === undefined || !signers.includes(operator) || !isNamed) return null;
  const moved = instructions.filter((each) => each.program === program).flatMap((each) => transferIn(each) ?? []);
  const shares = moved.filter(({ authority }) => authority === operator);
  return { feePayer, shares: shares.map(({ account, amount }) => ({ account, amount })) };
}

/** Null: no memo that the delegate signed names a mandate, so it is no charge under one of its merchant. */
export function readRecord(found: WireTransaction, delegate: string): ChargeRecord | null {
  const [memo] = memosOf(found, delegate).flatMap(({ data }) => readChargeMemo(data) ?? []);
  return memo?.record ?? null;
}

export function announces(found: WireTransaction, delegate: string, payee: string): boolean {
  return memosOf(found, delegate).some(({ data }) => readPayeeMemo(data) === payee);
}

/** The memos of a successful transaction that this key has signed. */
function memosOf(found: WireTransaction, signer: string): WireInstruction[] {
  if (found.meta.err !== null || !signersOf(found).includes(signer)) return [];
  return instructionsOf(found).filter(({ program, accounts }) => program === MEMO_PROGRAM && accounts.includes(signer));
}

interface Transfer extends ChargedShare {
  readonly source: string;
  readonly mint: string;
  /** The account that must have signed for it. */
  readonly authority: string;
}

/** Reads a `transferChecked` of a token program, or a transfer of lamports. Null: it is another instruction. */
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

/** A transaction of the chain, with the parts that the audit needs. */
export interface ReadTransaction {
  readonly txHash: string;
  readonly slot: number;
  /** The signers; the first pays the fee. */
  readonly signers: readonly string[];
  /** Null: it names no key, or does more than charge. */
  readonly charge: OnChainCharge | null;
  /** It announces a recipient, and moves nothing. */
  readonly isAnnouncement: boolean;
}

/**
 * Reads a transaction. It is a charge if a memo names the key, one of the signers signs for the memo, and all its
 * transfers have the same signer, the same token (or lamports) and the same source account. It may move nothing else.
 */
export function readTransaction(txHash: string, found: WireTransaction): ReadTransaction {
  const { slot } = found;
  const signers = signersOf(found);
  const owners = ownersOf(found);
  const instructions = instructionsOf(found).map((each, index) => ({ ...each, index }));
  const memos = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  const memo = memos.find(({ data }) => readChargeMemo(data) !== null);
  const key = memo ? readChargeMemo(memo.data)?.key : undefined;
  const merchant = memo?.accounts.find((account) => signers.includes(account));
  const moves = instructions.filter(({ program }) => isTokenProgram(program) || program === SYSTEM_PROGRAM);
  const transfers = moves.flatMap(({ index, ...instruction }) => {
    const found = transferIn(instruction);
    return found === null ? [] : [{ ...found, index }];
  });
  const isStill = transfers.length === moves.length && transfers.every(({ amount }) => amount === 0n);
  const isAnnouncement = isStill && memos.some(({ data }) => readPayeeMemo(data) !== null);
  const base = { txHash, slot, signers, isAnnouncement };
  const [first] = transfers;
  if (memo === undefined || key === undefined || merchant === undefined || first === undefined)
    return { ...base, charge: null };
  const isOne = transfers.every(
    ({ authority, mint, source }) =>
      authority === first.authority && mint === first.mint && source === first.source && signers.includes(authority),
  );
  if (!isOne || transfers.length !== moves.length) return { ...base, charge: null };
  const charge: OnChainCharge = {
    key,
    router: null,
    txHash,
    block: { number: slot, hash: null },
    merchant,
    token: first.mint,
    from: owners.get(first.source) ?? first.source,
    gross: transfers.reduce((sum, { amount }) => sum + amount, 0n),
    shares: transfers.map(({ account, amount, index }) => {
      return { to: owners.get(account) ?? account, account, amount, index };
    }),
    index: memo.index,
  };
  return { ...base, charge };
}
