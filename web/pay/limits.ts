import type { Mandate } from '../../src/checkout/wire.ts';
import { money } from '../ui/decimal.ts';
import { dateOf, plural } from './words.ts';

/** One limit that a payer signs, in plain words. */
export interface Limit {
  readonly title: string;
  readonly text: string;
  /** Addresses after the text. */
  readonly addresses: readonly string[];
}

const DAY_S = 86_400;
/** A charge may be early by this much at most, days, and by at most one interval (`MOST_AHEAD` of the router). */
const MOST_AHEAD_DAYS = 8;

/** The fields of a mandate in the order in which people ask for them. */
export function limitsOf(mandate: Mandate, ticker: string): Limit[] {
  const { perCharge, charges, startsAt, endsAt, payees, platform } = mandate;
  const said = (title: string, text: string, addresses: readonly string[] = []) => ({ title, text, addresses });
  return [
    said('Most for one charge', money(perCharge, ticker)),
    said('How often', howOften(mandate)),
    said('How many charges', charges === null ? 'No limit, until you end it' : `At most ${plural(charges, 'charge')}`),
    said('From', startsAt === null ? 'Now' : dateOf(startsAt)),
    said('Until', endsAt === null ? 'No end, until you end it' : dateOf(endsAt)),
    said('Who receives it', payees.length === 1 ? '' : 'One or more of these:', payees),
    platform === null
      ? said('Fee of the platform', 'None')
      : said('Fee of the platform', `At most ${platform.feeBps / 100}% of each charge, paid to`, [platform.wallet]),
  ];
}

function howOften({ charges, intervalSeconds }: Mandate): string {
  if (intervalSeconds === null) return charges === 1 ? 'Once' : 'No limit, because this is a test';
  const days = intervalSeconds / DAY_S;
  const early = plural(Math.min(days, MOST_AHEAD_DAYS), 'day');
  return `Every ${plural(days, 'day')}. A charge can be at most ${early} early`;
}
