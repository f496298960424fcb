import { z } from 'zod';
import type { Challenged } from '../../billing/checkout.ts';
import { moment } from '../../http/views/shared.ts';
import { sumSchema, sumView } from './asked.ts';

/** A text to sign, and the sum that is asked for behind it. */
export const challengeSchema = z.strictObject({
  message: z.string(),
  nonce: z.string(),
  expiresAt: moment,
  ...sumSchema.shape,
});

export function challengeView({ message, nonce, expiresAt, asked }: Challenged): z.output<typeof challengeSchema> {
  return { message, nonce, expiresAt: expiresAt.toISOString(), ...sumView(asked, { isSigned: false }) };
}
