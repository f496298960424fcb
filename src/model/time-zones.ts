import { addDays } from '../../machines/rules/period.ts';

/** The zone of the first one that has set one. */
export function timeZoneOf(...owners: readonly { readonly timeZone?: string | null }[]): string {
  return owners.find(({ timeZone }) => timeZone)?.timeZone ?? 'UTC';
}

/** True for a name of the IANA database such as `Europe/Berlin`. An offset such as `+02:00` is no name. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The date of a moment in this zone: `2030-01-31`. */
export function dateIn(timeZone: string, moment: Date | string): string {
  return localTime(timeZone, new Date(moment)).slice(0, 10);
}

/** From when to when so many days last in this zone, from this date on. Half open, ISO 8601 in UTC. */
export function daysFrom(timeZone: string, date: string, days: number): ReturnType<typeof monthIn> {
  const [first, next] = [new Date(date), new Date(addDays(date, days))];
  return { gte: startOfDay(timeZone, first), lt: startOfDay(timeZone, next) };
}

/** The date of the Monday with which the week of a moment began in this zone. */
export function mondayOf(timeZone: string, moment: Date): string {
  const date = dateIn(timeZone, moment);
  return addDays(date, -((new Date(date).getUTCDay() + 6) % 7)).slice(0, 10);
}

/** `2030-01`. */
export const MONTH = /^[12]\d{3}-(0[1-9]|1[0-2])$/;

/** From when to when a month such as `2030-01` lasts in this zone. Half open, ISO 8601 in UTC. */
export function monthIn(timeZone: string, month: string): { readonly gte: string; readonly lt: string } {
  const first = new Date(`${month}-01`);
  const next = new Date(first);
  next.setUTCMonth(first.getUTCMonth() + 1);
  return { gte: startOfDay(timeZone, first), lt: startOfDay(timeZone, next) };
}

/**
 * When the day that begins at this midnight of UTC begins in the zone. A zone that changes its clocks in that night has
 * two offsets around it, or no midnight.
 */
function startOfDay(timeZone: string, midnight: Date): string {
  const at = midnight.getTime();
  const [earlier = at, later = at] = [at - 86_400_000, at + 86_400_000]
    .map((near) => at - offsetAt(timeZone, near))
    .sort((one, other) => one - other);
  const isReached = dateIn(timeZone, new Date(earlier)) >= midnight.toISOString().slice(0, 10);
  return new Date(isReached ? earlier : later).toISOString();
}

/** How many milliseconds the clocks of the zone are ahead of UTC at a moment. */
function offsetAt(timeZone: string, moment: number): number {
  return Date.parse(`${localTime(timeZone, new Date(moment)).replace(' ', 'T')}Z`) - moment;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2030-01-31 00:30:00`: the form of Swedish. */
function localTime(timeZone: string, moment: Date): string {
  const form =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, form);
  return form.format(moment);
}
