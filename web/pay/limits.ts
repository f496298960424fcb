import type { Mandate } from '../../src/checkout/wire.ts';
import { locale, type MessageKey, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';
import { dateOf } from './words.ts';

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
  const { perCharge, per30Days, charges, startsAt, endsAt, payees, platform } = mandate;
  const limit = (title: MessageKey, text: string, addresses: readonly string[] = []) => ({
    title: say(title),
    text,
    addresses,
  });
  return [
    limit('limits.per_charge', money(perCharge, ticker)),
    ...(per30Days === null ? [] : [limit('limits.per_30_days', money(per30Days, ticker))]),
    limit('limits.how_often', howOften(mandate)),
    limit(
      'limits.how_many',
      charges === null ? say('limits.how_many_no_limit') : say('limits.how_many_most', { charges }),
    ),
    limit('limits.from', startsAt === null ? say('limits.from_now') : dateOf(startsAt)),
    limit('limits.until', endsAt === null ? say('limits.until_ended') : dateOf(endsAt)),
    limit('limits.receivers', payees.length === 1 ? '' : say('limits.receivers_several'), payees),
    platform === null
      ? limit('limits.platform', say('limits.platform_none'))
      : limit('limits.platform', say('limits.platform_most', { percent: percentOf(platform.feeBps) }), [
          platform.wallet,
        ]),
  ];
}

function howOften({ charges, intervalSeconds, intervalMonths: months, per30Days }: Mandate): string {
  if (per30Days !== null) return say('limits.how_often_use');
  if (months !== null) return say('limits.how_often_months', { months, early: MOST_AHEAD_DAYS });
  if (intervalSeconds === null) return say(charges === 1 ? 'limits.how_often_once' : 'limits.how_often_test');
  const days = intervalSeconds / DAY_S;
  return say('limits.how_often_days', { days, early: Math.min(days, MOST_AHEAD_DAYS) });
}

function percentOf(bps: number): string {
  return new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000);
}
