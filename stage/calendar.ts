/** Every story begins at this hour, so charges are due then, or at most some minutes later. */
const MORNING = '09:00:00.000Z';
const EVENING = '18:00:00.000Z';

/** `2028-01-31` → the time at which the shops open, UTC. Throws for an invalid date. */
export function morningOf(date: string): string {
  return momentOf(date, MORNING);
}

/** `2028-01-31` → a time after everything due on that day, UTC. Throws for an invalid date. */
export function eveningOf(date: string): string {
  return momentOf(date, EVENING);
}

/** The date alone, if the time of day is that of `anchor` to the millisecond; otherwise the whole time. */
export function dayOf(moment: string, anchor: string): string {
  const [date = moment, time] = moment.split('T');
  return time === anchor.split('T')[1] ? date : moment;
}

/** A time so many milliseconds later, or earlier. */
export function shifted(moment: string, ms: number): string {
  return new Date(Date.parse(moment) + ms).toISOString();
}

/** The same value `count` times. */
export function times<T>(count: number, what: T): T[] {
  return Array.from({ length: count }, () => what);
}

function momentOf(date: string, time: string): string {
  const moment = `${date}T${time}`;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(moment))) {
    throw new Error(`${date} is no date: expected one such as 2028-01-31`);
  }
  return moment;
}
