import { mandateKey } from '../../chains/charge-keys.ts';
import { cycleChargeKey, paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import type { MandateDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { paymentAttributes } from './attributes.ts';
import { contextOf } from './record.ts';

/**
 * The key under which the chain remembers a payment's charge, in all attempts of one consent. Without a mandate it follows from
 * the payment's ids alone.
 */
export function chargeKeyOf(payment: ActorDoc, mandate: Pick<MandateDoc, 'agreement'> | undefined): string {
  const { cycleOf } = contextOf(payment);
  if (mandate !== undefined) return mandateKey(mandate.agreement, cycleUnder(payment));
  return cycleOf === null ? paymentChargeKey(payment._id) : cycleChargeKey(cycleOf.subscriptionId, cycleOf.cycle);
}

/** The number of a payment's charge within its agreement: of the cycle, or of the payment within its checkout session. */
export function cycleUnder(payment: ActorDoc): number {
  return contextOf(payment).cycleOf?.cycle ?? paymentAttributes.parse(payment.attributes).agreementCycle ?? 1;
}
