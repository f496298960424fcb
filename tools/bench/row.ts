/** What must hold: of the ratio where there is a baseline, else of the value itself. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** The lowest and the highest of the rounds. */
export interface Spread {
  readonly low: number;
  readonly high: number;
}

/** One line of what a benchmark has found. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** Of the product: the median of the rounds, or what was counted. */
  readonly value: number;
  /** Of the baseline, the median of the rounds; null: nothing is compared. */
  readonly baseline: number | null;
  /** The median of value ÷ baseline of each round; null without a baseline. */
  readonly ratio: number | null;
  /** Of the ratio; null where nothing was repeated. */
  readonly spread: Spread | null;
  /** null: it is only shown. */
  readonly target: Target | null;
  readonly holds: boolean;
}

/** A number that is counted, not timed against anything. */
export function counted(name: string, unit: string, value: number, target: Target | null = null): Row {
  return { name, unit, value, baseline: null, ratio: null, spread: null, target, holds: meets(value, target) };
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

/** The middle of a list, or of its two middle ones. Throws for an empty one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('the median of no values');
  return (upper + lower) / 2;
}

/** `[{name, unit, value, baseline, ratio, target, holds}]`: what `--json` prints. */
export function rowsJson(rows: readonly Row[]): string {
  const plain = rows.map(({ name, unit, value, baseline, ratio, target, holds }) => ({
    name,
    unit,
    value: rounded(value),
    baseline: baseline === null ? null : rounded(baseline),
    ratio: ratio === null ? null : rounded(ratio),
    target: target === null ? null : targetText(target),
    holds,
  }));
  return JSON.stringify(plain, null, 2);
}

/** To five significant digits: no timing has more to say. */
function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
