/** What is to be run at a moment of virtual time. */
interface Entry {
  readonly at: number;
  /** Decides between entries of one moment: drawn by chance, so that the seed interleaves what happens at once. */
  readonly order: number;
  run: (() => void) | null;
}

/** A moment that has been asked for, and may be given up. */
export class Alarm {
  readonly #entry: Entry;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  cancel(): void {
    this.#entry.run = null;
  }

  /** Whether it still has to ring. */
  get isSet(): boolean {
    return this.#entry.run !== null;
  }
}

const settle = setImmediate;

/**
 * Time as a run knows it: it stands still while anything is computed, and goes on to the next moment that somebody waits for.
 * Milliseconds of Unix time, whole; it never goes back.
 */
export class VirtualTime {
  readonly #random: () => number;
  readonly #heap: Entry[] = [];
  #now: number;
  #steps = 0;

  /** @param random decides between what is to happen at the same moment */
  constructor(start: Date, random: () => number) {
    this.#now = start.getTime();
    this.#random = random;
  }

  get now(): number {
    return this.#now;
  }

  /** How many moments have come. */
  get steps(): number {
    return this.#steps;
  }

  /** `run` is called in `ms` (rounded up; less than 0 and no number are 0), behind everything of that moment that has begun. */
  in(ms: number, run: () => void): Alarm {
    const at = this.#now + Math.max(0, Math.ceil(ms) || 0);
    const entry: Entry = { at, order: this.#random(), run };
    this.#push(entry);
    return new Alarm(entry);
  }

  /** Resolves in `ms`. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.in(ms, resolve);
    });
  }

  /**
   * Lets the next moment come, and everything that follows from it without waiting. False: nobody waits for anything. Nothing
   * within a run may do input or output: what is answered from outside would come at a moment of its own.
   */
  async step(): Promise<boolean> {
    for (let entry = this.#pop(); entry; entry = this.#pop()) {
      const { run } = entry;
      if (run === null) continue;
      entry.run = null;
      this.#now = Math.max(this.#now, entry.at);
      this.#steps += 1;
      run();
      await settled();
      return true;
    }
    return false;
  }

  /** As if everything had been stopped until then: what was to happen meanwhile is late, and happens in its order. */
  leapTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || first === last) return first;
    let at = 0;
    for (;;) {
      let below = at * 2 + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && isBefore(other, child)) {
        below += 1;
        child = other;
      }
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Resolves when every promise that can settle without waiting has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    settle(resolve);
  });
}
