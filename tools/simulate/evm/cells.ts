/** Where contracts keep numbers, by name; what was never written is 0. */
export interface Cells {
  get(name: string): bigint;
  set(name: string, value: bigint): void;
}

interface Version {
  readonly block: number;
  readonly value: bigint;
}

/**
 * What every cell has been worth since which block: so that the chain can be read as of any block, and blocks be taken back
 * at the cost of what they have changed.
 */
export class Ledger {
  readonly #versions = new Map<string, Version[]>();
  readonly #changedIn = new Map<number, readonly string[]>();

  /** As of the end of a block. */
  get(name: string, block = Number.POSITIVE_INFINITY): bigint {
    const versions = this.#versions.get(name) ?? [];
    for (let at = versions.length - 1; at >= 0; at -= 1) {
      const version = versions[at];
      if (version !== undefined && version.block <= block) return version.value;
    }
    return 0n;
  }

  /** Takes what a block has changed; a later one than all before, and once. */
  apply(block: number, changes: ReadonlyMap<string, bigint>): void {
    for (const [name, value] of changes) {
      const versions = this.#versions.get(name);
      if (versions) versions.push({ block, value });
      else this.#versions.set(name, [{ block, value }]);
    }
    this.#changedIn.set(block, [...changes.keys()]);
  }

  /** Takes back what the newest block has changed. */
  undo(block: number): void {
    for (const name of this.#changedIn.get(block) ?? []) this.#versions.get(name)?.pop();
    this.#changedIn.delete(block);
  }
}

/** What is written stays here, until it is kept by somebody or forgotten. */
export class Draft implements Cells {
  readonly changes = new Map<string, bigint>();
  readonly #below: (name: string) => bigint;

  constructor(below: (name: string) => bigint) {
    this.#below = below;
  }

  get(name: string): bigint {
    return this.changes.get(name) ?? this.#below(name);
  }

  set(name: string, value: bigint): void {
    this.changes.set(name, value);
  }
}
