import {
  ComputeBudgetProgram,
  type Message,
  type MessageV0,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import type { RpcCall } from '../rpc.ts';
import { accountCreation, legacyMessage, memoInstruction, tokenTransfer } from './instructions.ts';
import { type SolanaSigner, toBase58 } from './keys.ts';
import { type ChargeRecord, chargeMemo } from './memo.ts';
import type { Plan, PlannedShare } from './plan.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts';
import { publicKeyOf } from './public-keys.ts';

/** The purpose of an instruction of a charge's transaction. It explains an error that names its number. */
export type Step =
  | { readonly kind: 'budget' | 'memo' }
  | { readonly kind: 'create' | 'transfer'; readonly share: PlannedShare };

export interface Draft {
  readonly message: Message | MessageV0;
  /** One for each instruction, in their order. */
  readonly steps: readonly Step[];
}

export interface DraftOptions {
  readonly feePayer: string;
  readonly blockhash: string;
  /** The accounts of shares that must be created. */
  readonly missing: ReadonlySet<string>;
  /** Compute units, and the price that is offered for each, in millionths of a lamport. */
  readonly units: number;
  readonly unitPrice: bigint;
  /** Null: the charge is not under a mandate. */
  readonly numbered: NumberedCharge | null;
}

/** A charge under a mandate as its transaction records it. */
export interface NumberedCharge {
  readonly record: ChargeRecord;
  /** The address that stands for this number of the agreement. */
  readonly reference: string;
}

/** The text of the memo before a transfer. */
const TRANSFER_MEMO = 'tideline';

/**
 * The transaction of a charge: all shares, or nothing. The delegate pulls each share from the payer's account straight
 * to the recipient's account. Missing accounts are created. An account of Token-2022 can refuse a transfer unless a
 * memo comes directly before it, so each of those transfers has one.
 */
export function draftOf(plan: Plan, options: DraftOptions): Draft {
  const { feePayer, blockhash, missing, units, unitPrice, numbered } = options;
  const made: (readonly [TransactionInstruction, Step])[] = [
    [ComputeBudgetProgram.setComputeUnitLimit({ units }), { kind: 'budget' }],
  ];
  if (unitPrice > 0n) {
    made.push([ComputeBudgetProgram.setComputeUnitPrice({ microLamports: unitPrice }), { kind: 'budget' }]);
  }
  made.push([memo(plan, numbered), { kind: 'memo' }]);
  for (const share of plan.shares.filter(({ account }) => missing.has(account))) {
    const creation = accountCreation(plan.token, share.account, share.share.to, feePayer);
    made.push([creation, { kind: 'create', share }]);
  }
  for (const share of plan.shares) {
    if (plan.token.program === TOKEN_2022_PROGRAM) made.push([TRANSFER_MEMO_INSTRUCTION, { kind: 'memo' }]);
    made.push([transfer(plan, share, numbered), { kind: 'transfer', share }]);
  }
  const instructions = made.map(([instruction]) => instruction);
  return { message: legacyMessage(feePayer, blockhash, instructions), steps: made.map(([, step]) => step) };
}

/** The delegate signs it, so that nobody else can write it. */
function memo({ charge, operator }: Plan, numbered: NumberedCharge | null): TransactionInstruction {
  return memoInstruction(chargeMemo({ key: charge.key, record: numbered?.record ?? null }), operator);
}

const TRANSFER_MEMO_INSTRUCTION = memoInstruction(TRANSFER_MEMO, null);

/** The references are more accounts, which the programs do not check. */
function transfer(plan: Plan, share: PlannedShare, numbered: NumberedCharge | null): TransactionInstruction {
  const { token, source, operator: authority } = plan;
  const instruction =
    token.program === SYSTEM_PROGRAM
      ? ofLamports(plan, share)
      : tokenTransfer(token, { source, target: share.account, authority }, share.amount);
  const references = [plan.reference, ...(numbered === null ? [] : [numbered.reference])];
  instruction.keys.push(...references.map(referenceKey));
  return instruction;
}

/** An account that a transaction only names. */
export function referenceKey(reference: string) {
  return { pubkey: publicKeyOf(reference), isSigner: false, isWritable: false };
}

function ofLamports({ source }: Plan, { account, amount }: PlannedShare): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: publicKeyOf(source), toPubkey: publicKeyOf(account), lamports: amount });
}

/** The bytes (base64) without signatures, for a simulation. */
export function unsignedBytes({ message }: Pick<Draft, 'message'>): string {
  return Buffer.from(new VersionedTransaction(message).serialize()).toString('base64');
}

/** Needs no signatures and no valid blockhash: a node that is a little behind does not know the newest one yet. */
export function simulationCall(draft: Pick<Draft, 'message'>): RpcCall {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true };
  return { method: 'simulateTransaction', params: [unsignedBytes(draft), options] };
}

export interface SignedBytes {
  /** Base58 of the first signature: the transaction's name. */
  readonly signature: string;
  /** Base64. */
  readonly raw: string;
}

/** Signs for every required signer. Throws when a required key is not among `keys`. */
export async function signMessage(message: Draft['message'], keys: readonly SolanaSigner[]): Promise<SignedBytes> {
  const bytes = message.serialize();
  const needed = message.staticAccountKeys
    .slice(0, message.header.numRequiredSignatures)
    .map((key) => toBase58(key.toBytes()));
  const signers = needed.map((address) => {
    const signer = keys.find((each) => each.address === address);
    if (!signer) throw new Error(`no key here can sign for ${address}`);
    return signer;
  });
  const signatures = await Promise.all(signers.map((signer) => signer.sign(bytes)));
  const raw = Buffer.from(new VersionedTransaction(message, signatures).serialize()).toString('base64');
  return { signature: toBase58(signatures[0] ?? new Uint8Array(0)), raw };
}
