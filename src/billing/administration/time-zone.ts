import { internalFault } from '../../errors/fault.ts';
import { dateIn, timeZoneOf } from '../../model/time-zones.ts';
import type { MerchantDoc } from '../../store/collections.ts';
import { summaryOn } from '../letters/weekly-summaries.ts';
import type { AccountDeps } from './account.ts';

/**
 * Sets the zone of the merchant's reports (docs/rules.md, "Time zones"). The last writer wins. The next weekly summary
 * stays that of its Monday, so no week is without one.
 */
export async function setTimeZone(
  { store, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  merchant: MerchantDoc,
  timeZone: string,
): Promise<MerchantDoc> {
  const at = merchant.letters?.summaryAt ?? null;
  const next = at && summaryOn(timeZone, dateIn(timeZoneOf(merchant), at));
  const set = { timeZone, ...(next && { 'letters.summaryAt': next }), updatedAt: clock() };
  const changed = await store.records.change('merchants', merchant._id, {}, { set });
  if (changed === null) throw internalFault(`${merchant._id} is gone, so its time zone is not set`);
  return changed;
}
