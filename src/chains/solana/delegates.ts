import { createHash } from 'node:crypto';
import type { ChargeDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { consentOf } from '../consent.ts';
import { remembered } from '../remembered.ts';
import { toBase58 } from './base58.ts';
import type { KeyRoot } from './key-root.ts';
import type { SolanaKey } from './keys.ts';

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
