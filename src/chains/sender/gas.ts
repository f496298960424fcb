import { isDue } from '../../store/is-due.ts';
import { Blocked, type ChainContext } from '../context.ts';

/** The sender has too little of the native coin for the fees. Its signing queue starts nothing until it has more. */
export class OutOfGas extends Blocked {
  /** The needed balance, in the smallest unit of the native coin. */
  readonly needed: bigint;

  constructor(sentence: string, needed: bigint) {
    super(sentence);
    this.name = 'OutOfGas';
    this.needed = needed;
  }
}

export interface GasReading {
  readonly balance: bigint;
  /** The balance that the smallest charge needs at present. */
  readonly least: bigint;
}

export interface FeeBalanceOptions {
  readonly address: string;
  /** Reads the balance from the chain. If it throws, nothing is known. */
  readonly read: () => Promise<GasReading>;
  /** For people: the balance, and the needed one. */
  readonly sentence: (balance: bigint, needed: bigint) => string;
}

/** A balance that was read this long ago is read again. */
const STALE_MS = 15_000;

/** A shortage expires after this time, because fees fall and smaller transactions need less. */
const NEEDED_FOR_MS = 30_000;

/** A sender's native coins as last seen. Too low is a trouble of its chain, until the chain shows more. */
export class FeeBalance {
  readonly #ctx: Pick<ChainContext, 'chainId' | 'troubles' | 'clock' | 'log'>;
  readonly #options: FeeBalanceOptions;
  #balance: bigint | null = null;
  #least: bigint | null = null;
  #seenAt = 0;
  #short: { readonly needed: bigint; readonly until: number } | null = null;

  constructor(ctx: Pick<ChainContext, 'chainId' | 'troubles' | 'clock' | 'log'>, options: FeeBalanceOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  get address(): string {
    return this.#options.address;
  }

  /** As last seen; null: never seen. */
  get balance(): bigint | null {
    return this.#balance;
  }

  /** How many of the smallest charges the balance pays for, at the prices of the last reading; null: not known. */
  get chargesLeft(): number | null {
    if (this.#balance === null || this.#least === null || this.#least === 0n) return null;
    return Number(this.#balance / this.#least);
  }

  /** Notes a balance that was read for another reason. */
  saw(balance: bigint): void {
    this.#balance = balance;
    this.#seenAt = this.#now();
  }

  /**
   * Call this before charges are taken. It asks the chain only if the balance was too low, or was not read for a while.
   * @throws OutOfGas when the balance is too low; the errors of `read`
   */
  async ensure(): Promise<void> {
    if (this.#short === null && !this.#isStale()) return;
    const { balance, needed } = await this.#read();
    if (balance < needed) throw new OutOfGas(this.#options.sentence(balance, needed), needed);
  }

  /** Notes that the balance was too low for a transaction. */
  short({ message, needed }: OutOfGas): void {
    const { troubles, log, chainId } = this.#ctx;
    const { address } = this.#options;
    if (needed > this.#neededNow(0n)) this.#short = { needed, until: this.#now() + NEEDED_FOR_MS };
    if (troubles.set(this.#thing, message))
      log.warn({ chainId, sender: address, why: message }, 'sender has too little for fees; its signing queue waits');
  }

  /** Reads the balance again if it is old. A failure changes nothing. */
  async refresh(): Promise<void> {
    if (!this.#isStale()) return;
    const reading = await this.#read().catch(() => null);
    if (reading === null || reading.balance >= reading.needed) return;
    this.short(new OutOfGas(this.#options.sentence(reading.balance, reading.needed), reading.needed));
  }

  async #read(): Promise<{ readonly balance: bigint; readonly needed: bigint }> {
    const { balance, least } = await this.#options.read();
    this.saw(balance);
    this.#least = least;
    const needed = this.#neededNow(least);
    if (balance >= needed) {
      this.#short = null;
      this.#ctx.troubles.set(this.#thing, null);
    }
    return { balance, needed };
  }

  get #thing(): string {
    return `gas:${this.#options.address}`;
  }

  #neededNow(least: bigint): bigint {
    if (this.#short === null || this.#short.needed < least || isDue(this.#short.until, this.#now(), NEEDED_FOR_MS))
      return least;
    return this.#short.needed;
  }

  #isStale(): boolean {
    return isDue(this.#seenAt + STALE_MS, this.#now(), STALE_MS);
  }

  #now(): number {
    return this.#ctx.clock().getTime();
  }
}
