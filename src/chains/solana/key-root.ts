import { createHash, createHmac } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { ChargeDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { consentOf } from '../consent.ts';
import { remembered } from '../remembered.ts';
import { derivedSeed, masterKeyOf, type SolanaKey, toBase58 } from './keys.ts';

const Point = ed25519.Point;
type Point = ReturnType<typeof Point.fromBytes>;
const ORDER = Point.Fn.ORDER;
const TWEAK = 'tideline operator key';

/** The origin of the keys of `OPERATOR_SEED`. The public key alone gives every address (docs/adr/keys.md). */
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

/** From the public key alone, so that public keys can be derived without a secret. Never 0 in practice. */
function tweakOf(publicKey: Uint8Array, purpose: string): bigint {
  return scalarOf(Buffer.from(TWEAK), publicKey, Buffer.from(purpose));
}

/** An Ed25519 key of a scalar (RFC 8032, 5.1.6), as Node signs with seeds only. `prefix` makes each nonce. */
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

/**
 * The keys that payers approve, two for each merchant and mode, and the keys of deposit addresses. The root of
 * `OPERATOR_SEED` and a hash of merchant and mode give the key (docs/rules.md, rule 5). Whoever has the seed can pull
 * everything that any payer has approved for any merchant, and take the money at any deposit address. A process with
 * the public key alone knows the addresses.
 */
export class Delegates {
  readonly #root: KeyRoot;
  readonly #keys = new Map<string, SolanaKey>();

  constructor(root: KeyRoot) {
    this.#root = root;
  }

  /** `isBounded`: the delegate for mandates. No charge without a mandate reaches what it was given. */
  of(tenant: Tenant, isBounded: boolean): SolanaKey {
    return this.#derived(delegateName(tenant, isBounded));
  }

  /** The key that owns the deposit for one payment: `account` is the key of its charge. It pays no fees. */
  ofDeposit(account: string): SolanaKey {
    return this.#derived(`deposit:${account}`);
  }

  /** The key that moves the tokens of a charge: the merchant's delegate, or the owner of the deposit that pays. */
  mover(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'deposit' | 'mandate'>): SolanaKey {
    const { deposit } = charge;
    return deposit === undefined ? this.of(charge, consentOf(charge).isBounded) : this.ofDeposit(deposit.account);
  }

  /**
   * An address that stands for a name on the chain, and that nobody owns. Nobody can compute it without the seed, so
   * nobody can mention it before the first transaction that does. Throws without the seed.
   */
  reference(name: string): string {
    const { mac } = this.#root;
    if (mac === null) throw new Error('This process has no OPERATOR_SEED, and cannot compute references');
    return toBase58(mac(name));
  }

  #derived(name: string): SolanaKey {
    return remembered(this.#keys, name, (of) => this.#root.derive(of));
  }
}

/** The purpose from which the delegate of a merchant is derived. */
function delegateName({ merchantId, mode }: Tenant, isBounded: boolean): string {
  const hash = createHash('sha256').update(`${merchantId}:${mode}`).digest('hex');
  return isBounded ? `bounded:${hash}` : `delegate:${hash}`;
}
