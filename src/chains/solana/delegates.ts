import { createHash } from 'node:crypto';
import type { ChargeDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import { derivedSeed, keyFromSeed, type SolanaKey } from './keys.ts';

const KEPT = 10_000;

/**
 * The keys that merchants' payers approve: one for each merchant and mode, derived from `OPERATOR_SEED` and a hash of both
 * (docs/rules.md, rule 5); and those of deposit addresses. Whoever has the seed can pull what any payer has approved to any
 * merchant, and take what lies at any deposit address.
 */
export class Delegates {
  readonly #seed: Uint8Array;
  readonly #keys = new Map<string, SolanaKey>();

  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  of(merchantId: string, mode: Mode): SolanaKey {
    const hash = createHash('sha256').update(`${merchantId}:${mode}`).digest('hex');
    return this.#derived(`delegate:${hash}`);
  }

  /** The key that owns what is sent for one payment: `account` is the key of its charge. It pays no fees. */
  ofDeposit(account: string): SolanaKey {
    return this.#derived(`deposit:${account}`);
  }

  /** Who moves the tokens of a charge: the merchant's delegate, or the owner of the deposit that they are taken from. */
  mover({ merchantId, mode, deposit }: Pick<ChargeDoc, 'merchantId' | 'mode' | 'deposit'>): SolanaKey {
    return deposit === undefined ? this.of(merchantId, mode) : this.ofDeposit(deposit.account);
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
