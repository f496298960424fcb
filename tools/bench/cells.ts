import { type Row, targetText } from './row.ts';

/** A row as people read it: name, unit, value, baseline, ratio, spread, target; empty where it has none. */
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

/** Three significant digits are what a timing has to say. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}
