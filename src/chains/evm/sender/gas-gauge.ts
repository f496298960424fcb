import type { ChargeDoc } from '../../../store/collections.ts';

/** What the router wants to be left for the last charge of a batch, whatever that uses: its budget, and some for the way. */
const RESERVE = 600_000n;

/** What is learned is held against the node's own word again after so many batches: tokens and chains change. */
const BATCHES_MAX = 200;

/**
 * What gas batches of one lane take, learned from what the node has estimated. An estimate has the node run a batch some
 * twenty times; a guess is proved by the one run in which the batch is simulated, if that is given no more gas.
 */
export class GasGauge {
  /** Gas for one share of a charge, the charge itself counted as one more. */
  #each: bigint | null = null;
  #left = 0;

  /** What should do for these charges; null: the node has to be asked. */
  guess(charges: readonly ChargeDoc[]): bigint | null {
    if (this.#each === null || this.#left <= 0) return null;
    this.#left -= 1;
    const gas = unitsOf(charges) * this.#each;
    return gas + gas / 8n + RESERVE;
  }

  learn(charges: readonly ChargeDoc[], estimate: bigint): void {
    const used = estimate > 2n * RESERVE ? estimate - RESERVE : estimate / 2n;
    this.#each = used / unitsOf(charges) + 1n;
    this.#left = BATCHES_MAX;
  }

  /** A guess was too low, or nothing was said of it. */
  forget(): void {
    this.#each = null;
  }
}

function unitsOf(charges: readonly ChargeDoc[]): bigint {
  return charges.reduce((sum, { shares }) => sum + BigInt(1 + shares.length), 0n);
}
