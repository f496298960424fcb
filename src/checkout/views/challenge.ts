import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { Challenged } from '../../billing/checkout/challenges.ts';
import { sumSchema, sumView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';

/** A text to sign, and the sum that is asked for behind it. */
export const challengeSchema = z.strictObject({
  message: z.string(),
  nonce: z.string(),
  expiresAt: moment,
  ...sumSchema.shape,
  /** What can be signed in place of an approve; null: the token takes no permits of this wallet. */
  permitToSign: permitToSignSchema.nullable(),
});

export function challengeView({
  message,
  nonce,
  expiresAt,
  asked,
  permit,
}: Challenged): z.output<typeof challengeSchema> {
  const permitToSign = permitToSignView(permit);
  return { message, nonce, expiresAt: expiresAt.toISOString(), ...sumView(asked, { isSigned: false }), permitToSign };
}
