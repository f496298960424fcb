import { createMerchants } from '../../../src/billing/merchants.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Tenant } from '../../../src/store/tenant.ts';

/** A merchant whose limits are so high that they refuse nothing, in its sandbox. */
export interface BenchMerchant extends Tenant {
  readonly key: string;
}

/** The highest that staff can set: limits are counted as for everybody, and do not end the run. */
const LIMIT_FACTOR = 10_000;

export async function benchMerchant({ records }: Store, name: string): Promise<BenchMerchant> {
  const clock = () => new Date();
  const merchants = createMerchants({ records, clock, feeBps: 100, onCreated: async () => undefined });
  const { merchant, testKey } = await merchants.create({ name });
  await records.change('merchants', merchant._id, {}, { set: { limitFactor: LIMIT_FACTOR } });
  return { merchantId: merchant._id, mode: 'test', key: testKey };
}
