import { QUANTITIES, type Quantity, type Sample } from './samples.ts';

/** How one quantity went from the first part of a soak to its last. */
export interface Course {
  readonly quantity: Quantity;
  readonly first: number;
  readonly last: number;
  /** The last may be no more than this. */
  readonly most: number;
  readonly holds: boolean;
}

export interface SoakFigures {
  readonly minutes: number;
  /** How many moments were checked. */
  readonly samples: number;
  readonly courses: readonly Course[];
}

/** The time at the beginning in which caches fill and code is compiled: it is not checked. */
const WARMING = 0.2;
/** The parts that are compared, of what comes after it. */
const PART = 1 / 3;

interface Rule {
  /** What stands for a part. The lowest of a heap is what is left after a collection. */
  readonly of: (values: readonly number[]) => number;
  /** How much more the last may be than the first: so many times as much, and so much beside that. */
  readonly times: number;
  readonly beside: number;
}

const RULES: Readonly<Record<Quantity, Rule>> = {
  residentMb: { of: median, times: 1.1, beside: 0 },
  heapMb: { of: lowest, times: 1.1, beside: 5 },
  openFiles: { of: median, times: 1, beside: 5 },
  handles: { of: median, times: 1, beside: 5 },
  // A tick of a second, and what a busy machine adds to it.
  dueLagMs: { of: median, times: 1, beside: 1_000 },
  loopLagMs: { of: median, times: 1.25, beside: 10 },
  paymentMs: { of: median, times: 1.25, beside: 50 },
};

/**
 * Compares the last third with the first, after a fifth of the time to warm up: what grows with time and not with the load
 * is found. @throws Error when there is too little of something to tell
 */
export function coursesOf(samples: readonly Sample[]): Course[] {
  const end = Math.max(...samples.map(({ atMs }) => atMs));
  const begin = end * WARMING;
  const part = (end - begin) * PART;
  const early = samples.filter(({ atMs }) => atMs >= begin && atMs < begin + part);
  const late = samples.filter(({ atMs }) => atMs > end - part);
  return QUANTITIES.map((quantity) => {
    const { of, times, beside } = RULES[quantity];
    const first = of(valuesOf(early, quantity));
    const last = of(valuesOf(late, quantity));
    const most = first * times + beside;
    return { quantity, first, last, most, holds: last <= most };
  });
}

function valuesOf(samples: readonly Sample[], quantity: Quantity): number[] {
  const values = samples.flatMap(({ values: own }) => own[quantity] ?? []);
  if (values.length === 0) throw new Error(`${quantity} was not read often enough to be compared`);
  return values;
}

function lowest(values: readonly number[]): number {
  return Math.min(...values);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
