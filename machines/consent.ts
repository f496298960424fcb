import { z } from 'zod';

/**
 * What lets the service charge a payer: a mandate, or, without one, an allowance of the open operator (docs/rules.md,
 * "Operators, consent, allowances"). `router`: of the operator; null on Solana. Where a consent is absent, it is the
 * open operator of the oldest router of its chain, which had none when the subscription began.
 */
export const consent = z.strictObject({ mandateId: z.string().nullable(), router: z.string().nullable() });
export type PayerConsent = z.infer<typeof consent>;

/** True if both draw on an allowance of the same operator. */
export function isSameOperator(one: PayerConsent | undefined, other: PayerConsent | undefined): boolean {
  const isBounded = (each: PayerConsent | undefined): boolean => (each?.mandateId ?? null) !== null;
  return isBounded(one) === isBounded(other) && (one?.router ?? null) === (other?.router ?? null);
}

export function consentIn({ consent }: { readonly consent?: PayerConsent }): { readonly consent?: PayerConsent } {
  return consent === undefined ? {} : { consent };
}
