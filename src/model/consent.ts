import type { PayerConsent } from '../../machines/consent.ts';
import type { Consent } from '../chains/consent.ts';

/** The operator that a payer's consent is for. */
export function operatorConsent(consent: PayerConsent | undefined): Consent {
  return { isBounded: (consent?.mandateId ?? null) !== null, router: consent?.router ?? null };
}

/** As a field of a stored object: left out where there is none. */
export function consentIn(consent: PayerConsent | undefined): { readonly consent?: PayerConsent } {
  return consent === undefined ? {} : { consent };
}

/** Consent by an allowance alone: of the open operator of this router. On Solana nothing is stored. */
export function openConsent(router: string | null): { readonly consent?: PayerConsent } {
  return router === null ? {} : { consent: { mandateId: null, router } };
}
