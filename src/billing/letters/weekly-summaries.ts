import { addDays } from '../../../machines/rules/period.ts';
import { daysFrom, mondayOf, timeZoneOf } from '../../model/time-zones.ts';
import type { LetterDoc, MerchantDoc } from '../../store/collections.ts';
import { derivedId } from '../../store/ids.ts';
import type { RecordsDeps } from '../deps.ts';
import { QUEUED } from './write-letters.ts';

/** The merchants of one search. */
const AT_ONCE = 100;

/** Eight in the morning, except where clocks change in the first hours of a Monday. */
const AFTER_MIDNIGHT_MS = 8 * 3_600_000;

/**
 * Stores the weekly summaries that are due (docs/rules.md, "Letters"). Any number of processes may do this at once: the
 * id of each follows from merchant and week. Of weeks in which nobody did it, the last one has a letter.
 */
export async function writeSummaries({ store: { records }, clock }: RecordsDeps): Promise<void> {
  for (let found = AT_ONCE; found === AT_ONCE; ) {
    const now = clock();
    const where = { 'letters.summaryAt': { lte: now } };
    const due = await records.find('merchants', { where, sort: [['letters.summaryAt', 1]], limit: AT_ONCE });
    const wanted = due.filter(({ status, letters }) => status === 'active' && letters?.summaryTo);
    if (wanted.length > 0)
      await records.insert(
        'letters',
        wanted.map((merchant) => summaryDoc(merchant, now)),
      );
    for (const { letters, ...merchant } of due) {
      const next = letters?.summaryTo ? nextSummary(timeZoneOf(merchant), now) : null;
      const was = { 'letters.summaryAt': letters?.summaryAt ?? null };
      await records.change('merchants', merchant._id, was, { set: { 'letters.summaryAt': next } });
    }
    found = due.length;
  }
}

function summaryDoc(merchant: MerchantDoc, now: Date): LetterDoc {
  const { _id: merchantId } = merchant;
  const monday = lastMonday(timeZoneOf(merchant), now);
  return {
    _id: derivedId('ltr', new Date(monday), `${merchantId}:${monday}`),
    ...{ merchantId, mode: 'live', letter: 'weekly_summary', customerId: null, data: { monday } },
    ...{ resourceId: merchantId, paymentId: null, ...QUEUED, wakeAt: now, createdAt: now, updatedAt: now },
  };
}

/** The Monday of the last summary that was due in this zone. */
function lastMonday(timeZone: string, now: Date): string {
  return mondayOf(timeZone, new Date(now.getTime() - AFTER_MIDNIGHT_MS));
}

export function nextSummary(timeZone: string, now: Date): Date {
  return summaryOn(timeZone, addDays(lastMonday(timeZone, now), 7));
}

/** When the summary of this Monday is due in this zone. */
export function summaryOn(timeZone: string, monday: string): Date {
  return new Date(Date.parse(daysFrom(timeZone, monday, 1).gte) + AFTER_MIDNIGHT_MS);
}
