import type { Troubles } from './troubles.ts';

/** As many transactions that revert one after another are a trouble. One alone may be bad luck. */
const TROUBLE_FROM = 2;

/** Counts the transactions of one chain that reverted as a whole, one after another. One that does not ends the row. */
export class Reverts {
  readonly #troubles: Troubles;
  #inARow = 0;

  constructor(troubles: Troubles) {
    this.#troubles = troubles;
  }

  /** As this process has seen them. */
  get inARow(): number {
    return this.#inARow;
  }

  /** Notes a transaction that a block contains since the last check. */
  saw({ reverted, txHash }: { readonly reverted: boolean; readonly txHash: string }): void {
    this.#inARow = reverted ? this.#inARow + 1 : 0;
    const sentence = `${this.#inARow} transactions in a row have reverted as a whole, the last one ${txHash}; their charges are tried again in halves`;
    this.#troubles.set('reverts', this.#inARow >= TROUBLE_FROM ? sentence : null);
  }
}
