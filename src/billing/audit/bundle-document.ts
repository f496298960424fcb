import { z } from 'zod';
import { baseUnits, moment } from '../../../machines/effects.ts';
import { isTimeZone, MONTH } from '../../model/time-zones.ts';

/** What the bundle of a month says of itself. It is signed as a proof is. */
export const manifestSchema = z.strictObject({
  createdAt: moment,
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
  isSandbox: z.boolean(),
  merchantId: z.string(),
  month: z.string().regex(MONTH),
  /** Each is in the proof of its payment. Base units. */
  refunds: z.array(z.strictObject({ amount: baseUnits, id: z.string(), paymentId: z.string() })),
  /** In which the month runs; absent in older ones. */
  timeZone: z.string().refine(isTimeZone).exactOptional(),
  signature: z.strictObject({ keyId: z.string(), publicKey: z.string(), value: z.string() }),
  type: z.literal('tideline.bundle'),
  version: z.literal(1),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** `audit.json`: differences about these payments, and the number of all others. */
export const bundledAudit = z.strictObject({
  chains: z.array(z.strictObject({ chainId: z.int(), charges: z.int(), from: z.int(), to: z.int() })),
  differences: z.array(z.looseObject({ kind: z.string(), what: z.string() })),
  others: z.int(),
});
