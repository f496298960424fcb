import { createHash } from 'node:crypto';
import type { Mode } from '../../store/documents.ts';
import { derivedSeed, keyFromSeed, type SolanaKey } from './keys.ts';

const KEPT = 10_000;

/**
 * The keys that merchants' payers approve: one for each merchant and mode, derived from `OPERATOR_SEED` and a hash of both
 * (architecture, rule 5). Whoever has the seed can pull what any payer has approved to any merchant.
 */
export class Delegates {
  readonly #seed: Uint8Array;
  readonly #keys = new Map<string, SolanaKey>();

  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  of(merchantId: string, mode: Mode): SolanaKey {
    const name = `${merchantId}:${mode}`;
    const known = this.#keys.get(name);
    if (known) return known;
    const hash = createHash('sha256').update(name).digest('hex');
    const key = keyFromSeed(derivedSeed(this.#seed, `delegate:${hash}`));
    if (this.#keys.size >= KEPT) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}
