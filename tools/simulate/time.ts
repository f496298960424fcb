/** Scheduled work at a moment of virtual time. */
interface Entry {
  readonly at: number;
  /** Orders entries of the same moment. It is random, so that the seed decides how simultaneous work interleaves. */
  readonly order: number;
  run: (() => void) | null;
}

/** Scheduled work that can be canceled. */
export interface Alarm {
  cancel(): void;
}

const settle = setImmediate;

/** Virtual time stops while code runs, then jumps to the next moment. Whole Unix milliseconds; never goes back. */
export class VirtualTime {
  readonly #random: () => number;
  readonly #heap: Entry[] = [];
  #now: number;
  #steps = 0;

  /** @param random orders simultaneous work */
  constructor(start: Date, random: () => number) {
    this.#now = start.getTime();
    this.#random = random;
  }

  get now(): number {
    return this.#now;
  }

  /** How many moments have passed. */
  get steps(): number {
    return this.#steps;
  }

  /** Calls `run` in `ms` (rounded up; negative or NaN is 0), after all work that has already begun at that moment. */
  in(ms: number, run: () => void): Alarm {
    const at = this.#now + Math.max(0, Math.ceil(ms) || 0);
    const entry: Entry = { at, order: this.#random(), run };
    this.#push(entry);
    return {
      cancel: () => {
        entry.run = null;
      },
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.in(ms, resolve);
    });
  }

  /**
   * Goes to the next moment, and runs everything that follows without waiting. False: nothing is scheduled. A run must
   * not do real I/O, because its results would arrive at unpredictable moments.
   */
  async step(): Promise<boolean> {
    for (let entry = this.#pop(); entry; entry = this.#pop()) {
      const { run } = entry;
      if (run === null) continue;
      entry.run = null;
      this.#now = Math.max(this.#now, entry.at);
      this.#steps += 1;
      run();
      await untilIdle();
      return true;
    }
    return false;
  }

  /** Jumps ahead as if the machine had slept: the work in between runs late, in its order. */
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

/** Resolves after all promises that can settle without waiting. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    settle(resolve);
  });
}

/** Takes steps until the promise settles. */
export async function untilSettled<T>(promise: Promise<T>, step: () => Promise<unknown>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  promise.then(end, end);
  await untilIdle();
  while (!isOver) await step();
  return promise;
}
