import type { ChargeDoc, OperatorConsent } from '../store/collections.ts';

export type Consent = OperatorConsent;

/** The open operator, where no router is named. */
export const OPEN: Consent = { isBounded: false, router: null };

/** The name of the allowance that a charge draws on, where its chain has no routers. */
export function allowanceName(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'token' | 'from' | 'mandate'>): string {
  const { merchantId, mode, token, from, mandate } = charge;
  return `${merchantId}/${mode}/${token}/${from}/${mandate ? 'bounded' : 'open'}`;
}

export function consentOf({ mandate, router }: Pick<ChargeDoc, 'mandate' | 'router'>): Consent {
  return { isBounded: mandate !== undefined, router: router ?? null };
}
