import type { Keypair } from '@solana/web3.js';
import { keyFromSeed, toBase58 } from '../../../src/chains/solana/keys.ts';
import { mandateLine, solanaMandateHash } from '../../../src/chains/solana/mandates.ts';
import type { MandateDoc } from '../../../src/store/collections.ts';
import { unsignedMandate } from '../support/mandates.ts';
import type { SolanaTestWorld } from './world.ts';

/** A mandate that its payer has signed: 10 tokens a day until it is revoked, and 1 percent of it for the platform. */
export function signedMandate(world: SolanaTestWorld, payer: string, change: Partial<MandateDoc> = {}): MandateDoc {
  const issuedAt = Math.floor(Date.now() / 1_000);
  const terms = unsignedMandate(world, { router: null, payer, issuedAt, ...change });
  const hash = solanaMandateHash(terms);
  const message = `I let Acme charge 10 USDC.\n\n${mandateLine(hash)}`;
  return { ...terms, _id: hash, message, signature: signatureOf(world.keyOf(payer), message) };
}

/** As a wallet signs a message: base58. */
export function signatureOf(payer: Keypair, message: string): string {
  return toBase58(keyFromSeed(payer.secretKey.slice(0, 32)).sign(Buffer.from(message)));
}
