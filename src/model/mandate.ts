import type { PayerConsent } from '../../machines/consent.ts';
import type { MandatesById } from '../chains/mandate-reader.ts';
import type { SignedMandate } from '../store/collections.ts';

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
