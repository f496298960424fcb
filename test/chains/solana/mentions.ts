import { type Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { keyFromSeed } from '../../../src/chains/solana/keys.ts';
import type { SolanaTestWorld } from './world.ts';

/** Names addresses, as anybody can in a transaction of their own; each number gives another transaction. */
export function mentionOf(addresses: readonly string[], number = 0): TransactionInstruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2);
  data.writeUInt32LE(200_000 + number, 1);
  return new TransactionInstruction({
    programId: new PublicKey('ComputeBudget111111111111111111111111111111'),
    keys: addresses.map((address) => ({ pubkey: new PublicKey(address), isSigner: false, isWritable: false })),
    data,
  });
}

const AT_ONCE = 100;

/** Names addresses in `count` transactions, which have landed when it resolves. */
export async function mention(
  world: SolanaTestWorld,
  liar: Keypair,
  addresses: readonly string[],
  count: number,
): Promise<void> {
  const newest = await world.user.connection.getLatestBlockhash();
  // The library takes ten times as long to sign.
  const key = keyFromSeed(liar.secretKey.slice(0, 32));
  for (let number = 0; number < count; number += 1) {
    const transaction = new Transaction({ ...newest, feePayer: liar.publicKey }).add(mentionOf(addresses, number));
    transaction.addSignature(liar.publicKey, Buffer.from(key.sign(transaction.serializeMessage())));
    const signature = world.chain.send(transaction.serialize({ verifySignatures: false }));
    if (number % AT_ONCE === AT_ONCE - 1 || number === count - 1) await world.user.untilDone(signature);
  }
}
