import { internalFault } from '../../errors/fault.ts';
import type { MerchantDoc } from '../../store/collections.ts';
import type { AccountDeps } from './account.ts';

/** Sets the zone of the merchant's reports (docs/rules.md, "Time zones"). The last writer wins. */
export async function setTimeZone(
  { store, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  timeZone: string,
): Promise<MerchantDoc> {
  const changed = await store.records.change('merchants', merchantId, {}, { set: { timeZone, updatedAt: clock() } });
  if (changed === null) throw internalFault(`${merchantId} is gone, so its time zone is not set`);
  return changed;
}
