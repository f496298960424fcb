import { createHash } from 'node:crypto';
import type { ChargeDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/tenant.ts';
import { consentOf } from '../consent.ts';
import { derivedSeed, keyFromSeed, type SolanaKey } from './keys.ts';

const KEPT = 10_000;

/**
 * The keys that payers approve, two for each merchant and mode, and the keys of deposit addresses. `OPERATOR_SEED` and a hash
 * of merchant and mode give the key (docs/rules.md, rule 5). Whoever has the seed can pull everything that any payer has
 * approved for any merchant, and take the money at any deposit address.
 */
export class Delegates {
  readonly #seed: Uint8Array;
  readonly #keys = new Map<string, SolanaKey>();

  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  /** `isBounded`: the delegate for mandates. The two differ, so no charge without a mandate reaches what one was given. */
  of({ merchantId, mode }: Tenant, isBounded: boolean): SolanaKey {
    const hash = createHash('sha256').update(`${merchantId}:${mode}`).digest('hex');
    return this.#derived(isBounded ? `bounded:${hash}` : `delegate:${hash}`);
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

  #derived(name: string): SolanaKey {
    const known = this.#keys.get(name);
    if (known) return known;
    const key = keyFromSeed(derivedSeed(this.#seed, name));
    if (this.#keys.size >= KEPT) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}
