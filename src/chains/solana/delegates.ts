import { createHash } from 'node:crypto';
import type { ChargeDoc } from '../../store/collections.ts';
import type { Mode, Tenant } from '../../store/documents.ts';
import { consentOf } from '../consent.ts';
import { fromBase58 } from './base58.ts';
import { isStatement, type KeyRoot, keyWithoutSecret } from './key-root.ts';
import type { SolanaKey } from './keys.ts';

const KEPT = 10_000;

/**
 * The open delegates of merchants that had payers before addresses were derived from a public key (`noted-delegates.ts`), by
 * merchant. Null: this process may not trust the database, so it knows none.
 */
export type EarlierDelegates = ReadonlyMap<string, Readonly<Record<Mode, string>> | null>;

/**
 * The keys that payers approve, two for each merchant and mode, and the keys of deposit addresses. The root of
 * `OPERATOR_SEED` and a hash of merchant and mode give the key (docs/rules.md, rule 5). Whoever has the seed can pull
 * everything that any payer has approved for any merchant, and take the money at any deposit address. A process with the public
 * key alone knows the addresses.
 */
export class Delegates {
  readonly #root: KeyRoot;
  readonly #earlier: EarlierDelegates;
  readonly #keys = new Map<string, SolanaKey>();

  constructor(root: KeyRoot, earlier: EarlierDelegates = new Map()) {
    this.#root = root;
    this.#earlier = earlier;
  }

  /**
   * `isBounded`: the delegate for mandates. The two differ, so no charge without a mandate reaches what one was given. Throws an
   * Error when only an untrusted address is stored for the merchant.
   */
  of({ merchantId, mode }: Tenant, isBounded: boolean): SolanaKey {
    const noted = isBounded ? undefined : this.#earlier.get(merchantId);
    if (noted === undefined) return this.#derived(delegateName({ merchantId, mode }, isBounded));
    return this.#earlierKey(delegateName({ merchantId, mode }, false), noted?.[mode] ?? null);
  }

  /** The key that owns the deposit for one payment: `account` is the key of its charge. It pays no fees. */
  ofDeposit(account: string): SolanaKey {
    return this.#derived(depositName(account));
  }

  /** The key that moves the tokens of a charge: the merchant's delegate, or the owner of the deposit that pays. */
  mover(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'deposit' | 'mandate' | 'from'>): SolanaKey {
    const { deposit, from } = charge;
    if (deposit === undefined) return this.of(charge, consentOf(charge).isBounded);
    const key = this.ofDeposit(deposit.account);
    return key.address === from ? key : this.#earlierKey(depositName(deposit.account), from);
  }

  /** Signs a statement with the operator's key, base64url. Throws without the seed. */
  sign(statement: string): string {
    const { secret } = this.#root;
    if (secret === null) throw new Error('This process has no OPERATOR_SEED, and cannot sign for the operator');
    return Buffer.from(secret.sign(statement)).toString('base64url');
  }

  /** True if the operator's key has signed the statement. */
  hasSigned(statement: string, signature: string): boolean {
    return isStatement(this.#root, statement, Buffer.from(signature, 'base64url'));
  }

  #earlierKey(name: string, address: string | null): SolanaKey {
    const { secret } = this.#root;
    if (secret) return this.#kept(`earlier ${name}`, () => secret.deriveEarlier(name));
    const publicKey = address === null ? null : fromBase58(address);
    if (publicKey === null) throw new Error(`No trusted address is known for ${name}: no worker has signed it`);
    return keyWithoutSecret(publicKey);
  }

  #derived(name: string): SolanaKey {
    return this.#kept(name, () => this.#root.derive(name));
  }

  #kept(name: string, make: () => SolanaKey): SolanaKey {
    const known = this.#keys.get(name);
    if (known) return known;
    const key = make();
    if (this.#keys.size >= KEPT) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}

/** The purpose from which the delegate of a merchant is derived. */
export function delegateName({ merchantId, mode }: Tenant, isBounded: boolean): string {
  const hash = createHash('sha256').update(`${merchantId}:${mode}`).digest('hex');
  return isBounded ? `bounded:${hash}` : `delegate:${hash}`;
}

function depositName(account: string): string {
  return `deposit:${account}`;
}
