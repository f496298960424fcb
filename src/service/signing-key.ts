import { randomBytes } from 'node:crypto';
import { createProofSigner, type ProofSigner } from '../billing/proof/signer.ts';
import type { Config } from '../config/config.ts';
import { keptSecret } from './kept-secret.ts';

const FILE = 'signing-key';

/**
 * The signer of proofs of charge: `SIGNING_KEY`; else, in the embedded default, a key that the first start makes and
 * keeps in the data folder. null: an installation for real chains without `SIGNING_KEY` signs none.
 */
export async function proofSigner({ signingKey, localDevnets, dataDir }: Config): Promise<ProofSigner | null> {
  if (signingKey !== null) return createProofSigner(signingKey);
  if (!localDevnets) return null;
  const kept = await keptSecret(dataDir, FILE, () => randomBytes(32).toString('hex'));
  return createProofSigner(Buffer.from(kept, 'hex'));
}
