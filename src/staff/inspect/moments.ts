/** `2030-02-01T09:00:00.000Z` → `2030-02-01`. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

/** `2030-02-01T09:00:00.000Z` → `2030-02-01 09:00 UTC`. */
export function momentText(moment: string): string {
  return `${dayOf(moment)} ${moment.slice(11, 16)} UTC`;
}

/** `2030-12-25T09:00:00.000Z` → `25 December 2030`. */
export function longDay(moment: string): string {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(moment).toLocaleDateString('en-GB', format);
}
