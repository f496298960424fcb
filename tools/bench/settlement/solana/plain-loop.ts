import { setTimeout as delay } from 'node:timers/promises';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { z } from 'zod';
import { fromBase58 } from '../../../../src/chains/solana/base58.ts';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '../../../../src/chains/solana/spl-token.ts';
import { answerOrders } from '../../answer-orders.ts';

/**
 * The baseline "loop" on Solana, in its own process. It signs and sends one token transfer by its owner with @solana/web3.js
 * (`Connection` at `confirmed`, `skipPreflight`, a blockhash for each), polls the status every 20 ms until it is confirmed, and
 * then makes the next one. `confirmTransaction` would need a subscription, and is no faster.
 */
const order = z.strictObject({
  rpcUrl: z.string(),
  /** Base58 of 64 bytes. */
  secretKey: z.string(),
  to: z.string(),
  mint: z.string(),
  program: z.string(),
  decimals: z.int(),
  count: z.int().positive(),
});
type Order = z.infer<typeof order>;

const POLL_MS = 20;

async function run({ rpcUrl, secretKey, to, mint: mintText, program: programText, decimals, count }: Order) {
  const connection = new Connection(rpcUrl, 'confirmed');
  const owner = Keypair.fromSecretKey(fromBase58(secretKey) ?? new Uint8Array());
  const [mint, program, receiver] = [new PublicKey(mintText), new PublicKey(programText), new PublicKey(to)];
  const from = getAssociatedTokenAddressSync(mint, owner.publicKey, false, program);
  const account = getAssociatedTokenAddressSync(mint, receiver, false, program);
  const making = createAssociatedTokenAccountIdempotentInstruction(owner.publicKey, account, receiver, mint, program);
  const transfer = createTransferCheckedInstruction(from, mint, account, owner.publicKey, 1n, decimals, [], program);
  const began = performance.now();
  for (let made = 0; made < count; made += 1) {
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: owner.publicKey, recentBlockhash: blockhash });
    transaction.add(...(made === 0 ? [making] : []), transfer);
    transaction.sign(owner);
    await confirmed(connection, await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true }));
  }
  return { ms: performance.now() - began };
}

async function confirmed(connection: Connection, signature: string): Promise<void> {
  for (;;) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw new Error(`a transfer failed: ${JSON.stringify(value.err)}`);
    if (value && value.confirmationStatus !== 'processed') return;
    await delay(POLL_MS);
  }
}

answerOrders(order, run);
