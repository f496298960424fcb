import { type Message, TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import { MEMO_PROGRAM } from './programs.ts';
import { publicKeyOf } from './public-keys.ts';
import { splToken } from './spl-token.ts';

/** A token, and the program that owns its accounts. */
interface Token {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
}

export function legacyMessage(payer: string, blockhash: string, instructions: TransactionInstruction[]): Message {
  const payerKey = publicKeyOf(payer);
  return new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions }).compileToLegacyMessage();
}

/** A memo that only `signer` can write; null: anybody can. */
export function memoInstruction(text: string, signer: string | null): TransactionInstruction {
  const keys = signer === null ? [] : [{ pubkey: publicKeyOf(signer), isSigner: true, isWritable: false }];
  return new TransactionInstruction({ programId: publicKeyOf(MEMO_PROGRAM), keys, data: Buffer.from(text) });
}

/** Creates the associated account of `owner`, unless it is there. */
export function accountCreation(token: Token, account: string, owner: string, payer: string): TransactionInstruction {
  const [accountKey, ownerKey, payerKey] = [publicKeyOf(account), publicKeyOf(owner), publicKeyOf(payer)];
  const [mint, program] = [publicKeyOf(token.mint), publicKeyOf(token.program)];
  return splToken.createAssociatedTokenAccountIdempotentInstruction(payerKey, accountKey, ownerKey, mint, program);
}

/** `authority`: the owner or the delegate of the source. */
export function tokenTransfer(
  { mint, program, decimals }: Token,
  { source, target, authority }: { readonly source: string; readonly target: string; readonly authority: string },
  amount: bigint,
): TransactionInstruction {
  const [sourceKey, targetKey, signer] = [publicKeyOf(source), publicKeyOf(target), publicKeyOf(authority)];
  const [mintKey, programId] = [publicKeyOf(mint), publicKeyOf(program)];
  const { createTransferCheckedInstruction: create } = splToken;
  return create(sourceKey, mintKey, targetKey, signer, amount, decimals, [], programId);
}
