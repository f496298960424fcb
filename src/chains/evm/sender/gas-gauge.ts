import type { ChargeDoc } from '../../../store/collections.ts';
import { LearnedSize } from '../../learned-size.ts';

/** What the router wants to be left for the last charge of a batch, whatever that uses: its budget, and some for the way. */
const RESERVE = 600_000n;

/** More than a charge takes that is alone in its transaction. */
const ONE_CHARGE = 2n * RESERVE;

/** The most gas that a transaction may have, on Ethereum since EIP-7825. */
const TRANSACTION_MAX = 16_777_216n;

/** So many charges are tried together before it is known what they take. */
const UNKNOWN_MAX = 50;

/** What is learned is held against the node's own word again after so many batches: tokens and chains change. */
const BATCHES_MAX = 200;

/**
 * The gas of one signing queue's batches, learned from the node's estimates. For an estimate the node runs a batch some twenty
 * times. A guess needs one run: the simulation of the batch, given no more gas than the guess.
 */
export class GasGauge {
  /** Gas for one share of a charge, the charge itself counted as one more. */
  #each: bigint | null = null;
  #left = 0;
  #blockGas: bigint | null = null;
  /** The most gas of one transaction that nodes are known to take. */
  readonly #most = new LearnedSize(Number(TRANSACTION_MAX));

  /** What should do for these charges; null: the node has to be asked. */
  guess(charges: readonly ChargeDoc[]): bigint | null {
    if (this.#each === null || this.#left <= 0) return null;
    this.#left -= 1;
    return guessOf(unitsOf(charges), this.#each);
  }

  learn(charges: readonly ChargeDoc[], estimate: bigint): void {
    const used = estimate > 2n * RESERVE ? estimate - RESERVE : estimate / 2n;
    this.#each = used / unitsOf(charges) + 1n;
    this.#left = BATCHES_MAX;
  }

  /** How much gas a block of the chain has. */
  saw(blockGas: bigint): void {
    this.#blockGas = blockGas;
  }

  /**
   * As many of these charges, from the first on, as one transaction should have gas for: half of a block's at most, which is
   * more than most blocks have left, and a third of it beyond the guess. One at least.
   */
  fitting(charges: readonly ChargeDoc[]): readonly ChargeDoc[] {
    if (this.#each === null || this.#blockGas === null) return charges.slice(0, UNKNOWN_MAX);
    const most = (this.most(this.#blockGas / 2n) * 3n) / 4n;
    let units = 0n;
    const beyond = charges.findIndex((charge) => {
      units += unitsOf([charge]);
      return guessOf(units, this.#each ?? 0n) > most;
    });
    return beyond === -1 ? charges : charges.slice(0, Math.max(1, beyond));
  }

  /** The most gas that a transaction may have which is given so much of a block. */
  most(ofBlock: bigint): bigint {
    const most = BigInt(this.#most.now);
    return ofBlock < most ? ofBlock : most;
  }

  /** Nodes refuse transactions with so much gas: the next ones get at most half of it, and at least one charge. */
  refused(gasLimit: bigint): void {
    const half = gasLimit / 2n;
    this.#most.learn(Number(half > ONE_CHARGE ? half : ONE_CHARGE));
    this.forget();
  }

  /** A guess was too low, or nothing was said of it. */
  forget(): void {
    this.#each = null;
  }
}

/** The gas limit to sign for an estimate: a third more, for between estimate and block things get dearer; `most` at most. */
export function limitFor(estimate: bigint, most: bigint): bigint {
  const wanted = estimate + estimate / 3n;
  return wanted < most ? wanted : most;
}

function guessOf(units: bigint, each: bigint): bigint {
  const gas = units * each;
  return gas + gas / 8n + RESERVE;
}

function unitsOf(charges: readonly ChargeDoc[]): bigint {
  return charges.reduce((sum, { shares }) => sum + BigInt(1 + shares.length), 0n);
}
