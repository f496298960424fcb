import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { MEMO_PROGRAM } from '../../src/chains/solana/programs.ts';
import { faucetKey } from '../solana-keys.ts';
import type { LocalChain } from './local-chain.ts';

/**
 * Sends lamports from the faucet by an ordinary transaction, and returns its signature. The memos differ, so no two
 * transactions are equal.
 */
export function startFaucet(chain: LocalChain): (address: string, lamports: number) => string {
  const faucet = faucetKey();
  const payer = new PublicKey(faucet.address);
  let count = 0;
  return (address, lamports) => {
    count += 1;
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [],
      data: Buffer.from(`airdrop ${Date.now()}:${count}`),
    });
    const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: new PublicKey(address), lamports });
    const message = new TransactionMessage({
      payerKey: payer,
      recentBlockhash: chain.slots.blockhash(chain.slots.slot()),
      instructions: [transfer, memo],
    }).compileToLegacyMessage();
    const transaction = new VersionedTransaction(message);
    transaction.addSignature(payer, faucet.sign(message.serialize()));
    return chain.send(transaction.serialize());
  };
}
