import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import bs58 from 'bs58';
import { remembered } from '../remembered.ts';
import { RemoteKey, type RemoteSigner } from '../remote-key.ts';

/** How many addresses each direction keeps: a charge writes and reads the same few. */
const KEPT = 20_000;
const ADDRESS_BYTES = 32;
const texts = new Map<string, string>();
const addresses = new Map<string, Uint8Array>();

/** Bytes in Solana's base58: Bitcoin's alphabet, one `1` for each leading zero byte. */
export function toBase58(bytes: Uint8Array): string {
  if (bytes.length !== ADDRESS_BYTES) return bs58.encode(bytes);
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, ADDRESS_BYTES).toString('latin1');
  return remembered(texts, name, () => bs58.encode(bytes), KEPT);
}

/** The bytes of a base58 text. Null: another character. The time grows with the square of the letters. */
export function fromBase58(text: string): Uint8Array | null {
  const known = addresses.get(text);
  if (known) return known.slice();
  const bytes = bs58.decodeUnsafe(text);
  if (bytes?.length === ADDRESS_BYTES) remembered(addresses, text, () => bytes.slice(), KEPT);
  return bytes ?? null;
}

/** Signs for one address, and never shows the key. For a fee payer, this may be a key service, which takes time. */
export interface SolanaSigner {
  /** Base58. */
  readonly address: string;
  /** Returns the 64 bytes of an ed25519 signature of exactly this message. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** An ed25519 key that signs, and never shows the secret. Node's code is several times as fast as JavaScript. */
export interface SolanaKey extends SolanaSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The bytes before the 32 secret bytes in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const SECRET_KEY_BYTES = 64;

/** The key of a seed of 32 bytes. For another length throws a RangeError that does not repeat the seed. */
export function keyFromSeed(seed: Uint8Array): SolanaKey {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`);
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = publicBytes(secret);
  return { address: toBase58(publicKey), publicKey, sign: (message) => sign(null, message, secret) };
}

/** The key whose public half is `OPERATOR_PUBLIC_KEY`: the origin of the keys that `OPERATOR_SEED` gives. */
export function masterKeyOf(operatorSeed: Uint8Array): SolanaKey {
  return keyFromSeed(derivedSeed(operatorSeed, 'master'));
}

/**
 * The key of a secret key as wallets export it: base58 of 64 bytes, the seed and the public key.
 * @throws Error, which does not repeat the text, when it is not a secret key, or its halves do not belong together
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

/**
 * A fee payer with its key at a service with the routes of Web3Signer for ed25519 (docs/reference/signer.md).
 * @throws Blocked when the service does not answer, lacks the key, or answers with another signature
 */
export function createRemoteSolanaSigner(at: RemoteSigner, address: string): SolanaSigner {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(fromBase58(address) ?? []).toString('base64url') };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const key = new RemoteKey({
    ...at,
    scheme: 'ed25519',
    address,
    addressOf: (hex) => toBase58(Buffer.from(hex.slice(2), 'hex')),
    isSignature: (signature, data) => verify(null, data, publicKey, signature),
  });
  return { address, sign: (message) => key.sign(Buffer.from(message)) };
}

/** For a process that only serves requests: it knows the fee payer, and `sign` rejects. */
export function solanaSignerWithoutKey(address: string): SolanaSigner {
  return { address, sign: () => Promise.reject(new Error(`This process has no key of the fee payer ${address}`)) };
}

/** A seed and its public key as wallets import them: base58 of 64 bytes. */
export function secretOf(seed: Uint8Array): string {
  return toBase58(Buffer.concat([seed, keyFromSeed(seed).publicKey]));
}

/** A seed that depends only on `root` and `purpose`. Nobody can compute it without `root`. */
export function derivedSeed(root: Uint8Array, purpose: string): Uint8Array {
  return createHmac('sha256', root).update(purpose).digest();
}

function publicBytes(secret: KeyObject): Uint8Array {
  const { x } = createPublicKey(secret).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}
