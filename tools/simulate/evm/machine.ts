import { Draft } from './cells.ts';
import { Revert } from './revert.ts';

/** A log as a contract writes it; the address in lower case. */
export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** What one contract calls another with; addresses in lower case, data 0x-hex. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  /** Wei. */
  readonly value: bigint;
}

/** A contract: what it does when it is called; the data that it gives back. Throws Revert. */
export type Contract = (run: Run, message: Message) => string;

/** Which contract stands at an address (lower case), as things are; null: none. */
export type ContractAt = (run: Run, address: string) => Contract | null;

export interface Result {
  readonly ok: boolean;
  /** What was given back, or the revert data. */
  readonly data: string;
}

/** The block that something is carried out in. */
export interface BlockNow {
  readonly number: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/**
 * One run of contracts: what they have written so far, what they have logged, and how much gas they have used, of which only
 * roughly as much is counted as a real chain would.
 */
export class Run {
  readonly block: BlockNow;
  readonly logs: SimLog[] = [];
  readonly #contractAt: ContractAt;
  readonly #gasLimit: number;
  #cells: Draft;
  #used = 0;
  #peak = 0;

  constructor(options: {
    readonly block: BlockNow;
    readonly contractAt: ContractAt;
    readonly below: (name: string) => bigint;
    readonly gasLimit: number;
  }) {
    this.block = options.block;
    this.#contractAt = options.contractAt;
    this.#gasLimit = options.gasLimit;
    this.#cells = new Draft(options.below);
  }

  /** All that was written. */
  get changes(): ReadonlyMap<string, bigint> {
    return this.#cells.changes;
  }

  get gasUsed(): number {
    return this.#used;
  }

  /** With so much gas it would have gone the same way: what was used, or what had to be left at some moment. */
  get gasNeeded(): number {
    return Math.max(this.#used, this.#peak);
  }

  get gasLeft(): number {
    return Math.max(0, this.#gasLimit - this.#used);
  }

  get(name: string): bigint {
    return this.#cells.get(name);
  }

  set(name: string, value: bigint): void {
    this.#cells.set(name, value);
  }

  log(address: string, topics: readonly string[], data: string): void {
    this.logs.push({ address, topics, data });
  }

  /** @throws Revert where it is more than there is */
  useGas(gas: number): void {
    this.#used += gas;
    if (this.#used > this.#gasLimit) throw new Revert();
  }

  /** Takes note that so much has to be left now. */
  mustLeave(gas: number): void {
    this.#peak = Math.max(this.#peak, this.#used + gas);
  }

  hasCode(address: string): boolean {
    return this.#contractAt(this, address) !== null;
  }

  /** Calls whatever stands there; what reverts has done nothing. */
  call(message: Message): Result {
    return this.attempt(() => {
      this.#pay(message);
      const contract = this.#contractAt(this, message.to);
      return contract === null ? '0x' : contract(this, message);
    });
  }

  /** What `work` gives, or the data it reverts with; then nothing of it has happened. */
  attempt(work: () => string): Result {
    const outer = this.#cells;
    const logs = this.logs.length;
    this.#cells = new Draft((name) => outer.get(name));
    try {
      const data = work();
      for (const [name, value] of this.#cells.changes) outer.set(name, value);
      return { ok: true, data };
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      this.logs.length = logs;
      return { ok: false, data: error.data };
    } finally {
      this.#cells = outer;
    }
  }

  #pay({ from, to, value }: Message): void {
    if (value === 0n) return;
    const has = this.get(weiOf(from));
    if (has < value) throw new Revert();
    this.set(weiOf(from), has - value);
    this.set(weiOf(to), this.get(weiOf(to)) + value);
  }
}

/** The names of the cells that every account has. */
export function weiOf(account: string): string {
  return `wei:${account}`;
}

export function nonceOf(account: string): string {
  return `nonce:${account}`;
}
