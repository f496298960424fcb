import { createHash, createHmac } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { toBase58 } from './base58.ts';
import { derivedSeed, masterKeyOf, type SolanaKey } from './keys.ts';

const Point = ed25519.Point;
type Point = ReturnType<typeof Point.fromBytes>;
const ORDER = Point.Fn.ORDER;
const TWEAK = 'tideline operator key';

/**
 * The origin of all keys that `OPERATOR_SEED` gives. With the public key alone, a process computes the address for
 * every purpose, and signs nothing (docs/adr/keys.md).
 */
export interface KeyRoot {
  /** `OPERATOR_PUBLIC_KEY`: 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The key for a purpose. Without the seed its `sign` throws. */
  derive(purpose: string): SolanaKey;
  /** 32 bytes for a name (HMAC-SHA-256), which nobody can compute without the seed. Null without the seed. */
  readonly mac: ((name: string) => Uint8Array) | null;
}

/** The root with the seed, `OPERATOR_SEED`. No property, message or inspection of it shows the seed. */
export function rootOfSeed(seed: Uint8Array): KeyRoot {
  const masterSeed = derivedSeed(seed, 'master');
  const master = masterKeyOf(seed);
  const { scalar, point } = ed25519.utils.getExtendedPublicKey(masterSeed);
  const macKey = derivedSeed(seed, 'mac');
  return {
    publicKey: master.publicKey,
    derive: (purpose) => {
      const tweak = tweakOf(master.publicKey, purpose);
      const publicKey = point.add(Point.BASE.multiply(tweak)).toBytes();
      return signingKey((scalar + tweak) % ORDER, publicKey, derivedSeed(seed, `nonce:${purpose}`));
    },
    mac: (name) => createHmac('sha256', macKey).update(name).digest(),
  };
}

/** The root without the seed. Throws an Error for bytes that are no public key of a root. */
export function rootOfPublicKey(publicKey: Uint8Array): KeyRoot {
  const point = pointOf(publicKey);
  return {
    publicKey,
    derive: (purpose) => keyWithoutSecret(point.add(Point.BASE.multiply(tweakOf(publicKey, purpose))).toBytes()),
    mac: null,
  };
}

/** The root of a chain that is not enabled: it has no keys. */
export const NO_ROOT: KeyRoot = {
  publicKey: new Uint8Array(0),
  derive: () => {
    throw new Error('OPERATOR_SEED is not configured');
  },
  mac: null,
};

/** A key that only shows its address. Its `sign` throws. */
function keyWithoutSecret(publicKey: Uint8Array): SolanaKey {
  const address = toBase58(publicKey);
  return {
    address,
    publicKey,
    sign: () => {
      throw new Error(`This process has no OPERATOR_SEED, and cannot sign for ${address}`);
    },
  };
}

/**
 * Anybody can compute it from the public key, so that public keys can be derived without a secret. Never 0 in practice.
 */
function tweakOf(publicKey: Uint8Array, purpose: string): bigint {
  return scalarOf(Buffer.from(TWEAK), publicKey, Buffer.from(purpose));
}

/**
 * An Ed25519 key of a scalar (RFC 8032, 5.1.6). Node signs with seeds only, and a derived scalar has none. The secret
 * `prefix` makes the nonce, so that no two messages share one.
 */
function signingKey(scalar: bigint, publicKey: Uint8Array, prefix: Uint8Array): SolanaKey {
  return {
    address: toBase58(publicKey),
    publicKey,
    sign: (message) => {
      const nonce = scalarOf(prefix, message);
      const point = Point.BASE.multiply(nonce).toBytes();
      const challenge = scalarOf(point, publicKey, message);
      return Buffer.concat([point, littleEndian((nonce + challenge * scalar) % ORDER)]);
    },
  };
}

function pointOf(publicKey: Uint8Array): Point {
  const point = Point.fromBytes(publicKey);
  if (point.isSmallOrder() || !point.isTorsionFree()) throw new Error('the point is not of the prime order');
  return point;
}

/** SHA-512 of all parts, as a number below the order. The parts before the last have fixed lengths. */
function scalarOf(...parts: readonly Uint8Array[]): bigint {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return BigInt(`0x${hash.digest().reverse().toString('hex')}`) % ORDER;
}

function littleEndian(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
}
