import { randomBytes } from 'node:crypto';
import { cycleChargeKey, paymentChargeKey } from '../chains/evm/contracts/router.ts';
import { mandateKey } from '../chains/mandate-reader.ts';
import type { ChainFamily, MandateDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import { paymentAttributes, paymentContextOf } from './payment.ts';

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
