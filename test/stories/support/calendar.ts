/** What is due in the morning is due at the hour at which every story begins, some minutes later at most. */
const MORNING = '09:00:00.000Z';
const EVENING = '18:00:00.000Z';

/** `2028-01-31` → the moment at which the shops open, UTC. Throws for what is no date. */
export function morningOf(date: string): string {
  return momentOf(date, MORNING);
}

/** `2028-01-31` → when everything that is due on that day has fallen due, UTC. Throws for what is no date. */
export function eveningOf(date: string): string {
  return momentOf(date, EVENING);
}

/**
 * A moment as people say it: the date alone, if it is at exactly the time of day of `anchor`, to the millisecond; else the
 * whole of it. So a period that begins or ends a millisecond off is seen.
 */
export function dayOf(moment: string, anchor: string): string {
  const [date = moment, time] = moment.split('T');
  return time === anchor.split('T')[1] ? date : moment;
}

/** A moment so many milliseconds later, or earlier. */
export function shifted(moment: string, ms: number): string {
  return new Date(Date.parse(moment) + ms).toISOString();
}

/** The same thing so often. */
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
