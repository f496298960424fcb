import { z } from 'zod';
import { parseOnce } from '../../../machines/parse-once.ts';

/** The attributes of a subscription, copied at its creation. */
const schema = z.strictObject({
  customerId: z.string(),
  offerId: z.string(),
  offerName: z.string(),
  afterCompletion: z.record(z.string(), z.json()),
  splits: z.array(z.strictObject({ address: z.string(), percentage: z.string() })),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  /** The secret of the keys of its cycles' charges; absent in subscriptions of before. */
  chargeSecret: z.string().exactOptional(),
  idempotencyKey: z.string().nullable(),
  requestHash: z.string(),
});
export type SubscriptionAttributes = z.infer<typeof schema>;

export const subscriptionAttributes = parseOnce(schema);
