import type { PayerConsent } from '../../machines/consent.ts';
import type { Consent } from '../chains/consent.ts';
import type { MandatesById } from '../chains/mandate-reader.ts';
import type { SignedMandate } from '../store/collections.ts';

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

/** The mandate of a consent; undefined: it needs none. */
export function mandateIn(mandates: MandatesById, consent: PayerConsent | undefined): SignedMandate | undefined {
  const id = consent?.mandateId ?? null;
  if (id === null) return undefined;
  const mandate = mandates.get(id);
  if (mandate === undefined) throw new Error(`mandate ${id} does not exist`);
  return mandate;
}

/** The platform's fee in basis points: never more than the payer has signed. */
export function feeUnder(mandate: SignedMandate | undefined, feeBps: number): number {
  return mandate === undefined ? feeBps : Math.min(feeBps, mandate.feeBps);
}

/**
 * Who gets the merchant's part of a one-off payment: the payout wallet if the payer has signed it, else the one that
 * was signed.
 */
export function payeeUnder(mandate: SignedMandate | undefined, payoutWallet: string): string {
  const payees = mandate?.payees ?? [payoutWallet];
  return payees.includes(payoutWallet) ? payoutWallet : (payees[0] ?? payoutWallet);
}
