/** The condition of a target: for the ratio if there is a baseline, otherwise for the value. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One result of a benchmark. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** The product's figure: the median of the rounds, or a count. */
  readonly value: number;
  /** The median of the baseline's rounds; null: no comparison. */
  readonly baseline: number | null;
  /** The median of value ÷ baseline of each round; null without a baseline. */
  readonly ratio: number | null;
  /** The lowest and the highest ratio of the rounds; null if nothing was repeated. */
  readonly spread: { readonly low: number; readonly high: number } | null;
  /** null: the row has no target. */
  readonly target: Target | null;
  readonly holds: boolean;
}

/** A row for a counted number, without a comparison. */
export function counted(name: string, unit: string, value: number, target: Target | null = null): Row {
  return { name, unit, value, baseline: null, ratio: null, spread: null, target, holds: meets(value, target) };
}

/** A row for two figures of one run, which nothing repeats. The target is for their ratio. */
export function compared(
  name: string,
  unit: string,
  value: number,
  baseline: number,
  target: Target | null = null,
): Row {
  const ratio = value / baseline;
  return { name, unit, value, baseline, ratio, spread: null, target, holds: meets(ratio, target) };
}

export function meets(value: number, target: Target | null): boolean {
  if (target === null) return true;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

const DIGITS = 3;

/** `>= 0.6`, `<= 1.3`. */
export function targetText(target: Target): string {
  const bound = 'atLeast' in target ? target.atLeast : target.atMost;
  return `${'atLeast' in target ? '>=' : '<='} ${Number(bound.toPrecision(DIGITS))}`;
}

/** The middle value, or the mean of the two middle ones. Throws for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('the median of no values');
  return (upper + lower) / 2;
}
