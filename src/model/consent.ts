import { randomBytes } from 'node:crypto';
import type { PayerConsent } from '../../machines/consent.ts';
import type { Consent } from '../chains/consent.ts';
import { cycleChargeKey, paymentChargeKey } from '../chains/evm/contracts/router.ts';
import { type MandatesById, mandateKey } from '../chains/mandate-reader.ts';
import type { ChainFamily, MandateDoc, SignedMandate } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import { paymentAttributes, paymentContextOf } from './payment.ts';

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

const SECRET_BYTES = 16;

/**
 * A secret for the keys of charges on Solana, where whoever can compute a key before it is used can delay its charge
 * (docs/adr/solana.md). It is stored where the charges are decided, so that a backup has it too. On EVM nobody
 * can, so there is none.
 */
export function newChargeSecret(family: ChainFamily | undefined): { readonly chargeSecret?: string } {
  return family === 'solana' ? { chargeSecret: randomBytes(SECRET_BYTES).toString('hex') } : {};
}

/** The key under which the chain remembers a payment's charge, in all attempts of one consent. */
export function chargeKeyOf(payment: ActorDoc, mandate: Pick<MandateDoc, 'agreement'> | undefined): string {
  const { cycleOf } = paymentContextOf(payment);
  if (mandate !== undefined) return mandateKey(mandate.agreement, cycleUnder(payment));
  const { chargeSecret } = paymentAttributes.parse(payment.attributes);
  if (cycleOf === null) return paymentChargeKey(payment._id, chargeSecret);
  return cycleChargeKey(cycleOf.subscriptionId, cycleOf.cycle, chargeSecret);
}

/**
 * The number of a payment's charge within its agreement: of the cycle, or of the payment within its checkout session.
 */
export function cycleUnder(payment: ActorDoc): number {
  return paymentContextOf(payment).cycleOf?.cycle ?? paymentAttributes.parse(payment.attributes).agreementCycle ?? 1;
}
