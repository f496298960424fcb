import { type Row, targetText } from './row.ts';

/** The texts of a row: name, unit, value, baseline, ratio, spread, target. Missing values are empty. */
export function cellsOf({ name, unit, value, baseline, ratio, spread, target }: Row): string[] {
  return [
    name,
    unit,
    figure(value),
    baseline === null ? '' : figure(baseline),
    ratio === null ? '' : ratio.toFixed(2),
    spread === null ? '' : `${spread.low.toFixed(2)}–${spread.high.toFixed(2)}`,
    target === null ? '' : targetText(target),
  ];
}

/** At three significant digits, because timings are not more precise. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}
