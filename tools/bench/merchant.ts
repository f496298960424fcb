import { createMerchant } from '../../src/billing/administration/merchants.ts';
import type { Tenant } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';

/** The highest factor that staff can set. Requests are still counted, but never refused. */
const LIMIT_FACTOR = 10_000;

/** The platform's default fee, basis points. */
export const FEE_BPS = 100;

/** A merchant's sandbox with limits that refuse nothing. */
export async function benchMerchant(store: Store, name: string, feeBps = FEE_BPS): Promise<Tenant> {
  const clock = () => new Date();
  const deps = { store, clock, platformFeeBps: feeBps, welcome: async () => undefined };
  const { merchant } = await createMerchant(deps, { name });
  await store.records.change('merchants', merchant._id, {}, { set: { limitFactor: LIMIT_FACTOR } });
  return { merchantId: merchant._id, mode: 'test' };
}
