/** Three significant digits are what a timing has to say. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}
