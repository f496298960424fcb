import { Draft } from './cells.ts';
import { Revert } from './revert.ts';

/** A log as a contract writes it; the address is in lower case. */
export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A call from one contract to another; addresses in lower case, data 0x-hex. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  /** Wei. */
  readonly value: bigint;
}

/** A contract: takes a call, returns data. Throws Revert. */
export type Contract = (run: Run, message: Message) => string;

/** The contract at an address (lower case) in the current state; null: none. */
export type ContractAt = (run: Run, address: string) => Contract | null;

export interface Result {
  readonly ok: boolean;
  /** The returned data, or the revert data. */
  readonly data: string;
}

/** The block in which a run takes place. */
export interface BlockNow {
  readonly number: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** One run of contracts: its writes, its logs and its gas. Gas is only roughly the gas of a real chain. */
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

  /** All writes. */
  get changes(): ReadonlyMap<string, bigint> {
    return this.#cells.changes;
  }

  get gasUsed(): number {
    return this.#used;
  }

  /** The least gas limit with the same result: the gas used, or the highest sum of used and required remaining gas. */
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

  /** @throws Revert if the gas limit is exceeded */
  useGas(gas: number): void {
    this.#used += gas;
    if (this.#used > this.#gasLimit) throw new Revert();
  }

  /** Records that the rest of the gas must be at least this much here. */
  mustLeave(gas: number): void {
    this.#peak = Math.max(this.#peak, this.#used + gas);
  }

  hasCode(address: string): boolean {
    return this.#contractAt(this, address) !== null;
  }

  /** Calls the contract at the address. A reverted call has changed nothing. */
  call(message: Message): Result {
    return this.attempt(() => {
      this.#pay(message);
      const contract = this.#contractAt(this, message.to);
      return contract === null ? '0x' : contract(this, message);
    });
  }

  /** The result of `work`, or its revert data. A revert undoes its writes and logs. */
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

/** The name of an account's wei cell. */
export function weiOf(account: string): string {
  return `wei:${account}`;
}

export function nonceOf(account: string): string {
  return `nonce:${account}`;
}
