import { randomBytes } from 'node:crypto';
import type { Keypair } from '@solana/web3.js';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import { toBase58 } from '../../../src/chains/solana/base58.ts';
import { keyFromSeed } from '../../../src/chains/solana/keys.ts';
import { mandateLine, solanaMandateHash } from '../../../src/chains/solana/mandates.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { CHAIN_ID, type SolanaChargeWish, solanaCharge, walletOf } from './bench.ts';

/** A mandate that its payer has signed: 10 tokens a day until it is revoked, and 1 percent of it for the platform. */
export function signedMandate(world: SolanaWorld, payer: Keypair, change: Partial<MandateDoc> = {}): MandateDoc {
  const terms: Omit<MandateDoc, '_id' | 'message' | 'signature'> = {
    merchantId: 'mrc_a',
    mode: 'test',
    chainId: CHAIN_ID,
    router: null,
    payer: payer.publicKey.toBase58(),
    token: world.tokens.find(({ ticker }) => ticker === 'USDC')?.address ?? '',
    perCharge: '10000000',
    charges: 0,
    interval: 86_400,
    start: 0,
    end: 0,
    issuedAt: 1,
    platform: world.platform,
    feeBps: 100,
    payees: [walletOf(world, 'merchant')],
    agreement: `0x${randomBytes(32).toString('hex')}`,
    terms: `0x${'7'.repeat(64)}`,
    createdAt: new Date(),
    ...change,
  };
  const hash = solanaMandateHash(terms);
  const message = `I let Acme charge 10 USDC.\n\n${mandateLine(hash)}`;
  return { ...terms, _id: hash, message, signature: signatureOf(payer, message) };
}

/** As a wallet signs a message: base58. */
export function signatureOf(payer: Keypair, message: string): string {
  return toBase58(keyFromSeed(payer.secretKey.slice(0, 32)).sign(Buffer.from(message)));
}

/** A waiting charge of one cycle under a mandate. */
export function mandateCharge(
  world: SolanaWorld,
  { _id, agreement, payer, merchantId }: MandateDoc,
  cycle = 1,
  wish: Partial<SolanaChargeWish> = {},
): ChargeDoc {
  const charge = solanaCharge(world, { from: payer, merchantId, key: mandateKey(agreement, cycle), ...wish });
  return { ...charge, mandate: { id: _id, cycle } };
}
