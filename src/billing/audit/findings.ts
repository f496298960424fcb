import type { Catalog } from '../../chains/catalog.ts';
import type { ChainReader } from '../../chains/chain-reader.ts';
import type { ChargeState, DifferenceDoc } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';

/** The most differences kept in full; all are counted. */
const KEPT = 1_000;

/** Collects differences. Each counts once, however many passes find it. */
export class Findings {
  readonly #kept = new Map<string, DifferenceDoc>();
  /** The blocks of the differences beyond `KEPT`. */
  readonly #beyond = new Map<string, number | null>();

  add(difference: DifferenceDoc): void {
    const { kind, chargeKey, txHash, what } = difference;
    const about = chargeKey ?? txHash ?? what;
    // A missing charge and an unknown charge are one difference; the payment describes it better.
    if (kind === 'charge_missing') this.#forget(`unknown_charge:${about}`);
    const name = `${kind}:${about}`;
    if (kind === 'unknown_charge' && this.#has(`charge_missing:${about}`)) return;
    if (this.#kept.has(name) || (this.#kept.size < KEPT && !this.#beyond.has(name))) this.#kept.set(name, difference);
    else this.#beyond.set(name, difference.block);
  }

  get count(): number {
    return this.#kept.size + this.#beyond.size;
  }

  /** The first differences, in the order found. */
  get list(): DifferenceDoc[] {
    return [...this.#kept.values()];
  }

  /** The blocks of all differences but the first `most`, once for each difference. */
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

/** The states of a charge that may have been signed: the reconciler will determine its outcome on the chain. */
export const ON_ITS_WAY: ReadonlySet<ChargeState> = new Set(['started', 'sent', 'mined']);

/** What the audit of one chain needs. */
export interface AuditorDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly reader: ChainReader;
  readonly findings: Findings;
  /** Called regularly to show that the work goes on. */
  readonly touch: () => Promise<void>;
}
