/** `2030-02-01T09:00:00.000Z` → `2030-02-01`. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

/** `2030-02-01T09:00:00.000Z` → `2030-02-01 09:00 UTC`. */
export function momentText(moment: string): string {
  return `${dayOf(moment)} ${moment.slice(11, 16)} UTC`;
}
