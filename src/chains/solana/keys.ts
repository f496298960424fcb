import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { fromBase58, toBase58 } from './base58.ts';

/** Who signs for one address. The key stays inside: for a fee payer a key service can stand here, which takes its time. */
export interface SolanaSigner {
  /** Base58. */
  readonly address: string;
  /** The 64 bytes of an ed25519 signature of the message as it stands. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * An ed25519 key that signs. The secret stays inside: no property, message or inspection of it shows it. Node's own curve
 * signs several times as fast as the one in JavaScript.
 */
export interface SolanaKey extends SolanaSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** What stands before the 32 secret bytes in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const SECRET_KEY_BYTES = 64;

/** The key of a seed of 32 bytes. Throws a RangeError that does not repeat it when it has another length. */
export function keyFromSeed(seed: Uint8Array): SolanaKey {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`);
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = publicBytes(secret);
  return { address: toBase58(publicKey), publicKey, sign: (message) => sign(null, message, secret) };
}

/**
 * The key of a secret key as wallets export it: base58 of 64 bytes, the seed and the public key.
 * @throws Error that does not repeat it when it is not one, or its halves do not belong together
 */
export function keyFromSecret(secretKey: string): SolanaKey {
  const bytes = fromBase58(secretKey);
  if (bytes?.length !== SECRET_KEY_BYTES) throw new Error('expected a secret key: base58 of 64 bytes');
  const key = keyFromSeed(bytes.subarray(0, SEED_BYTES));
  if (!Buffer.from(key.publicKey).equals(bytes.subarray(SEED_BYTES))) {
    throw new Error('expected a secret key whose second half is the public key of the first');
  }
  return key;
}

/** A seed and its public key as wallets import them: base58 of 64 bytes. */
export function secretOf(seed: Uint8Array): string {
  return toBase58(Buffer.concat([seed, keyFromSeed(seed).publicKey]));
}

/** A seed that `root` and `purpose` always give, and nobody without `root` can tell. */
export function derivedSeed(root: Uint8Array, purpose: string): Uint8Array {
  return createHmac('sha256', root).update(purpose).digest();
}

function publicBytes(secret: KeyObject): Uint8Array {
  const { x } = createPublicKey(secret).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}
