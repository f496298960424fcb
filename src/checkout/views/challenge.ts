import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { Challenged, Requested } from '../../billing/checkout/challenges.ts';
import { sumSchema, sumView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import { chainSaysSchema, chainSaysView } from './standing.ts';

/** What a wallet that has signed nothing yet is asked for, and what the chain says of it now. */
export const requestSchema = z.strictObject({
  ...sumSchema.shape,
  /** null: the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** What can be signed in place of an approve; null: the token takes no permits of this wallet, or not now. */
  permitToSign: permitToSignSchema.nullable(),
});

/** A text to sign, and the sum that is asked for behind it. */
export const challengeSchema = z.strictObject({
  message: z.string(),
  nonce: z.string(),
  expiresAt: moment,
  ...requestSchema.shape,
});

export function requestView({ asked, says, permit }: Requested): z.output<typeof requestSchema> {
  return {
    ...sumView(asked, { isSigned: false }),
    chain: chainSaysView(asked, says),
    permitToSign: permitToSignView(permit),
  };
}

export function challengeView(challenged: Challenged): z.output<typeof challengeSchema> {
  const { message, nonce, expiresAt } = challenged;
  return { message, nonce, expiresAt: expiresAt.toISOString(), ...requestView(challenged) };
}
