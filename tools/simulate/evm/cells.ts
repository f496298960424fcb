/** Reads a number of a chain's state, by name; one that was never written is 0. Addresses are in lower case. */
export type ReadCell = (name: string) => bigint;

export const weiOf = (account: string): string => `wei:${account}`;
export const nonceOf = (account: string): string => `nonce:${account}`;
/** The hash of an account's code; 0: it has none. */
export const codeHashOf = (account: string): string => `code:${account}`;
/** A word of a contract's storage; `slot` is 32 bytes, 0x-hex. */
export const storageOf = (contract: string, slot: string): string => `storage:${contract}:${slot}`;

interface Version {
  readonly block: number;
  readonly value: bigint;
}

/** The history of every cell by block. Any block can be read, and undoing one costs only its own changes. */
export class Ledger {
  readonly #versions = new Map<string, Version[]>();
  readonly #changedIn = new Map<number, readonly string[]>();

  /** The value at the end of a block. */
  get(name: string, block = Number.POSITIVE_INFINITY): bigint {
    const versions = this.#versions.get(name) ?? [];
    for (let at = versions.length - 1; at >= 0; at -= 1) {
      const version = versions[at];
      if (version !== undefined && version.block <= block) return version.value;
    }
    return 0n;
  }

  /** Stores the changes of a block. Blocks come in order, each once. */
  apply(block: number, changes: ReadonlyMap<string, bigint>): void {
    for (const [name, value] of changes) {
      const versions = this.#versions.get(name);
      if (versions) versions.push({ block, value });
      else this.#versions.set(name, [{ block, value }]);
    }
    this.#changedIn.set(block, [...changes.keys()]);
  }

  undo(block: number): void {
    for (const name of this.#changedIn.get(block) ?? []) this.#versions.get(name)?.pop();
    this.#changedIn.delete(block);
  }
}

/** Keeps writes to itself until somebody applies or drops them. */
export class Draft {
  readonly changes = new Map<string, bigint>();
  readonly #below: ReadCell;

  constructor(below: ReadCell) {
    this.#below = below;
  }

  get(name: string): bigint {
    return this.changes.get(name) ?? this.#below(name);
  }

  set(name: string, value: bigint): void {
    this.changes.set(name, value);
  }

  apply(changes: ReadonlyMap<string, bigint>): void {
    for (const [name, value] of changes) this.changes.set(name, value);
  }
}
