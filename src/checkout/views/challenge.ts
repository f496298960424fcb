import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { Challenged, Requested } from '../../billing/checkout/challenges.ts';
import { sumSchema, sumView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import { chainSaysSchema, chainSaysView } from './standing.ts';

/** The sum that a wallet is asked for before it signs, and the chain's data about the wallet now. */
export const requestSchema = z.strictObject({
  ...sumSchema.shape,
  /** null: the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** A permit to sign in place of an approval; null: the token accepts no permits of this wallet, or not now. */
  permitToSign: permitToSignSchema.nullable(),
});

/** A text to sign, and the sum that comes after it. */
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
