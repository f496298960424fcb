import type { ChargeDoc, OperatorConsent } from '../store/collections.ts';

export type Consent = OperatorConsent;

/** An allowance of the open operator, of the router that was the first of its chain. */
export const OPEN: Consent = { isBounded: false, router: null };

/** The name of the allowance that a charge draws on, on its chain. */
export function allowanceName(
  charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'token' | 'from' | 'mandate' | 'router'>,
): string {
  const { isBounded, router } = consentOf(charge);
  const { merchantId, mode, token, from } = charge;
  return `${merchantId}/${mode}/${token}/${from}/${isBounded ? 'bounded' : 'open'}/${router}`;
}

/** The consent that a charge draws on. */
export function consentOf({ mandate, router }: Pick<ChargeDoc, 'mandate' | 'router'>): Consent {
  return { isBounded: mandate !== undefined, router: router ?? null };
}
