import { QUANTITIES, type Quantity, type Sample } from './samples.ts';

/** One quantity in the first and in the last part of a soak. */
export interface Course {
  readonly quantity: Quantity;
  readonly first: number;
  readonly last: number;
  /** The limit of the last part. */
  readonly most: number;
  readonly holds: boolean;
}

/** The share of the time for caches to fill and code to compile. Its samples are ignored. */
const WARMING = 0.2;
/** The share of each compared part in the remaining time. */
const PART = 1 / 3;

interface Rule {
  /** The value of a part. For a heap, it is the lowest value: the size after a collection. */
  readonly of: (values: readonly number[]) => number;
  /** The limit of growth: the first value times `times`, plus `beside`. */
  readonly times: number;
  readonly beside: number;
}

const RULES: Readonly<Record<Quantity, Rule>> = {
  residentMb: { of: median, times: 1.1, beside: 0 },
  heapMb: { of: lowest, times: 1.1, beside: 5 },
  openFiles: { of: median, times: 1, beside: 5 },
  handles: { of: median, times: 1, beside: 5 },
  // The allowance is a tick of a second plus the delay of a busy machine.
  dueLagMs: { of: median, times: 1, beside: 1_000 },
  loopLagMs: { of: median, times: 1.25, beside: 10 },
  paymentMs: { of: median, times: 1.25, beside: 50 },
};

/**
 * Compares the last third with the first after the warm-up. This finds quantities that grow with time rather than with
 * the load.
 * @throws Error if a quantity has too few samples
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
