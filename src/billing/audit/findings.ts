import type { DifferenceDoc } from '../../store/collections.ts';

/** So many are kept with their words; all are counted. */
const KEPT = 1_000;

/** Differences as they are found: each thing once, however many passes come upon it. */
export class Findings {
  readonly #kept = new Map<string, DifferenceDoc>();
  #beyond = 0;

  add(difference: DifferenceDoc): void {
    const { kind, chargeKey, txHash, what } = difference;
    const about = chargeKey ?? txHash ?? what;
    // A charge that is missing here is unknown there: one thing, and the payment is the better word for it.
    if (kind === 'charge_missing') this.#kept.delete(`unknown_charge:${about}`);
    const name = `${kind}:${about}`;
    if (kind === 'unknown_charge' && this.#kept.has(`charge_missing:${about}`)) return;
    if (this.#kept.has(name) || this.#kept.size < KEPT) this.#kept.set(name, difference);
    else this.#beyond += 1;
  }

  /** How many there are. */
  get count(): number {
    return this.#kept.size + this.#beyond;
  }

  /** The first of them, in the order in which they were found. */
  get list(): DifferenceDoc[] {
    return [...this.#kept.values()];
  }
}
