import type { ChainContext } from '../context.ts';
import { Blocked } from '../troubles.ts';

/** The sender's native coin does not pay for the fees. Its signing queue starts nothing until there is more. */
export class OutOfGas extends Blocked {
  /** What was needed, in the smallest unit of the native coin. */
  readonly needed: bigint;

  constructor(sentence: string, needed: bigint) {
    super(sentence);
    this.name = 'OutOfGas';
    this.needed = needed;
  }
}

export interface GasReading {
  readonly balance: bigint;
  /** What the smallest charge takes at present. */
  readonly least: bigint;
}

export interface FeeBalanceOptions {
  readonly address: string;
  /** Asks the chain. May throw: then nothing is known. */
  readonly read: () => Promise<GasReading>;
  /** For people: what it has, and what is needed. */
  readonly sentence: (balance: bigint, needed: bigint) => string;
}

/** What has been seen so long ago is asked for again. */
const STALE_MS = 15_000;

/** Fees fall, and smaller transactions need less: what was needed once is not waited for longer than this. */
const NEEDED_FOR_MS = 30_000;

/**
 * What one sender has of the native coin, as last seen. While it is too little, that is a trouble of its chain, and it goes
 * away by itself when the chain shows more.
 */
export class FeeBalance {
  readonly #ctx: Pick<ChainContext, 'chainId' | 'troubles' | 'clock' | 'log'>;
  readonly #options: FeeBalanceOptions;
  #balance: bigint | null = null;
  #seenAt = 0;
  #short: { readonly needed: bigint; readonly until: number } | null = null;

  constructor(ctx: Pick<ChainContext, 'chainId' | 'troubles' | 'clock' | 'log'>, options: FeeBalanceOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  get address(): string {
    return this.#options.address;
  }

  /** As last seen; null: never. */
  get balance(): bigint | null {
    return this.#balance;
  }

  /** The balance has been read for another reason. */
  saw(balance: bigint): void {
    this.#balance = balance;
    this.#seenAt = this.#now();
  }

  /**
   * To be called before charges are taken. Asks the chain only where something was missing, or nothing was seen for a while.
   * @throws OutOfGas when there is too little; what `read` throws
   */
  async ensure(): Promise<void> {
    if (this.#short === null && !this.#isStale()) return;
    const { balance, needed } = await this.#read();
    if (balance < needed) throw new OutOfGas(this.#options.sentence(balance, needed), needed);
  }

  /** A transaction was not to be paid for. */
  short({ message, needed }: OutOfGas): void {
    const { troubles, log, chainId } = this.#ctx;
    const { address } = this.#options;
    if (needed > this.#neededNow(0n)) this.#short = { needed, until: this.#now() + NEEDED_FOR_MS };
    if (troubles.set(this.#thing, message)) log.warn({ chainId, sender: address, why: message }, 'sender out of gas');
  }

  /** Checks again if it has not for a while; whatever fails changes nothing. */
  async refresh(): Promise<void> {
    if (!this.#isStale()) return;
    const reading = await this.#read().catch(() => null);
    if (reading === null || reading.balance >= reading.needed) return;
    this.short(new OutOfGas(this.#options.sentence(reading.balance, reading.needed), reading.needed));
  }

  async #read(): Promise<{ readonly balance: bigint; readonly needed: bigint }> {
    const { balance, least } = await this.#options.read();
    this.saw(balance);
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
    if (this.#short === null || this.#now() >= this.#short.until || this.#short.needed < least) return least;
    return this.#short.needed;
  }

  #isStale(): boolean {
    return this.#now() - this.#seenAt >= STALE_MS;
  }

  #now(): number {
    return this.#ctx.clock().getTime();
  }
}
