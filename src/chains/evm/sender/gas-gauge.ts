import type { ChargeDoc } from '../../../store/collections.ts';
import { LearnedSize } from '../../learned-size.ts';
import { MAX_SHARES } from '../contracts/router.ts';
import { larger, smaller } from '../fee-limits.ts';

/** The gas that the router requires for the last charge of a batch, even if it uses less: its budget and a margin. */
const RESERVE = 600_000n;

/** The same for a charge under a mandate: its budget has gas for the payer's signature. */
const MANDATE_RESERVE = 1_050_000n;

/** More gas than a charge of a few shares needs that is alone in its transaction, also under a mandate. */
const ONE_CHARGE = 2n * RESERVE;

/** A charge's full gas, so that no code takes it from the next: the router's budget, and the call around it. */
const FULL_CHARGE = 800_000n;
const FULL_SHARE = 82_000n;
const FULL_BATCH = 100_000n;

/** The gas for any charge that is alone. Real blocks have many times as much, whatever a node names for one. */
const LEAST_ROOM = FULL_BATCH + FULL_CHARGE + FULL_SHARE * BigInt(MAX_SHARES);

/** The most gas that a transaction may have; Ethereum's limit since EIP-7825. */
const TRANSACTION_MAX = 16_777_216n;

/** The most charges in one transaction while their gas is not known. */
const UNKNOWN_MAX = 50;

/** After this number of batches the node is asked for an estimate again: tokens and chains change. */
const BATCHES_MAX = 200;

/** Charges for one transaction, and whether they ask contract wallets for their signatures. */
export interface GasOf {
  readonly charges: readonly ChargeDoc[];
  readonly asksWallets: boolean;
}

/**
 * The gas of one signing queue's batches, learned from the node's estimates. For an estimate the node runs a batch
 * about twenty times. A guess needs one run: the simulation of the batch, with no more gas than the guess.
 */
export class GasGauge {
  /** Gas for one share of a charge; the charge itself counts as one more share. */
  #each: bigint | null = null;
  #left = 0;
  #fullSuffices = true;
  #blockGas: bigint | null = null;
  /** The most gas in one transaction that nodes are known to accept. */
  readonly #most = new LearnedSize(Number(TRANSACTION_MAX));

  /**
   * A guess of the gas that suffices for these charges; null: the node has to estimate it. For charges that ask
   * contract wallets, and after a revert, it suffices whatever wallets and tokens do.
   */
  guess(batch: GasOf): bigint | null {
    const { charges } = batch;
    if (this.#isFull(batch)) return fullGasOf(charges);
    if (this.#each === null || this.#left <= 0) return null;
    this.#left -= 1;
    return guessOf(charges, unitsOf(charges), this.#each);
  }

  learn(charges: readonly ChargeDoc[], estimate: bigint): void {
    const reserve = reserveOf(charges);
    const used = estimate > 2n * reserve ? estimate - reserve : estimate / 2n;
    this.#each = used / unitsOf(charges) + 1n;
    this.#left = BATCHES_MAX;
  }

  /** Remembers how much gas a block of the chain has. */
  saw(blockGas: bigint): void {
    this.#blockGas = blockGas;
  }

  /**
   * The first of these charges, as many as one transaction has gas for, and at least one. A transaction may use at most
   * half of a block, because most blocks have no more left, and that has to include a third more than the guess.
   */
  fitting(batch: GasOf): readonly ChargeDoc[] {
    const { charges } = batch;
    if (this.#isFull(batch)) return this.#fittingInFull(charges);
    if (this.#each === null || this.#blockGas === null) return charges.slice(0, UNKNOWN_MAX);
    const most = (this.most(this.#blockGas / 2n) * 3n) / 4n;
    let units = 0n;
    const beyond = charges.findIndex((charge) => {
      units += unitsOf([charge]);
      return guessOf(charges, units, this.#each ?? 0n) > most;
    });
    return beyond === -1 ? charges : charges.slice(0, Math.max(1, beyond));
  }

  /** The owner of the router can raise its budgets. */
  #isFull({ charges, asksWallets }: GasOf): boolean {
    return asksWallets || (this.#fullSuffices && haveReverted(charges));
  }

  #fittingInFull(charges: readonly ChargeDoc[]): readonly ChargeDoc[] {
    if (this.#blockGas === null) return charges.slice(0, 1);
    const most = this.most(this.#blockGas / 2n);
    const beyond = charges.findIndex((_, index) => fullGasOf(charges.slice(0, index + 1)) > most);
    return beyond === -1 ? charges : charges.slice(0, Math.max(1, beyond));
  }

  /** The most gas for a transaction that may take `ofBlock`, the given part of a block. One charge always fits. */
  most(ofBlock: bigint): bigint {
    const most = BigInt(this.#most.now);
    return smaller(larger(ofBlock, LEAST_ROOM), most);
  }

  /** Nodes refuse this much gas: the next transactions get at most half of it, and enough for one charge. */
  refused(gasLimit: bigint): void {
    const half = gasLimit / 2n;
    this.#most.learn(Number(half > ONE_CHARGE ? half : ONE_CHARGE));
    this.forget();
  }

  /** A guess for these charges was too little gas. */
  fellShort(charges: readonly ChargeDoc[]): void {
    if (haveReverted(charges)) this.#fullSuffices = false;
    this.forget();
  }

  /** The next batch asks the node for an estimate. */
  forget(): void {
    this.#each = null;
  }
}

/** The gas limit for an estimate: a third more, as a batch may need more in its block; at most `most`. */
export function limitFor(estimate: bigint, most: bigint): bigint {
  const wanted = estimate + estimate / 3n;
  return wanted < most ? wanted : most;
}

/** Whether these are charges of a transaction that reverted as a whole. */
export function haveReverted(charges: readonly ChargeDoc[]): boolean {
  return charges.some(({ batchMax }) => batchMax !== undefined);
}

function fullGasOf(charges: readonly ChargeDoc[]): bigint {
  return charges.reduce((sum, { shares }) => sum + FULL_CHARGE + FULL_SHARE * BigInt(shares.length), FULL_BATCH);
}

function guessOf(charges: readonly ChargeDoc[], units: bigint, each: bigint): bigint {
  const gas = units * each;
  return gas + gas / 8n + reserveOf(charges);
}

/** The least gas that the router takes for a batch of these charges. */
export function reserveOf(charges: readonly ChargeDoc[]): bigint {
  return charges.some(({ mandate }) => mandate) ? MANDATE_RESERVE : RESERVE;
}

function unitsOf(charges: readonly ChargeDoc[]): bigint {
  return charges.reduce((sum, { shares }) => sum + BigInt(1 + shares.length), 0n);
}
