import type { DifferenceDoc } from '../../store/collections.ts';

/** So many are kept with their words; all are counted. */
const KEPT = 1_000;

/** Differences as they are found: each thing once, however many passes come upon it. */
export class Findings {
  readonly #kept = new Map<string, DifferenceDoc>();
  /** The blocks of all others. */
  readonly #beyond = new Map<string, number | null>();

  add(difference: DifferenceDoc): void {
    const { kind, chargeKey, txHash, what } = difference;
    const about = chargeKey ?? txHash ?? what;
    // A charge that is missing here is unknown there: one thing, and the payment is the better word for it.
    if (kind === 'charge_missing') this.#forget(`unknown_charge:${about}`);
    const name = `${kind}:${about}`;
    if (kind === 'unknown_charge' && this.#has(`charge_missing:${about}`)) return;
    if (this.#kept.has(name) || (this.#kept.size < KEPT && !this.#beyond.has(name))) this.#kept.set(name, difference);
    else this.#beyond.set(name, difference.block);
  }

  /** How many there are. */
  get count(): number {
    return this.#kept.size + this.#beyond.size;
  }

  /** The first of them, in the order in which they were found. */
  get list(): DifferenceDoc[] {
    return [...this.#kept.values()];
  }

  /** The blocks of all but the first `most`, of those that are in one; as often as there are differences in it. */
  blocksBehind(most: number): number[] {
    const blocks = [...this.list.slice(most).map(({ block }) => block), ...this.#beyond.values()];
    return blocks.filter((block) => block !== null);
  }

  #has(name: string): boolean {
    return this.#kept.has(name) || this.#beyond.has(name);
  }

  #forget(name: string): void {
    this.#kept.delete(name);
    this.#beyond.delete(name);
  }
}
