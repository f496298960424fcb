import type { PaymentContext } from '../../../machines/payment/context.ts';
import { mandateKey } from '../../chains/charge-keys.ts';
import { cycleChargeKey, paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import type { MandateDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { contextOf } from './record.ts';

/**
 * The key under which the chain remembers a payment's charge, in all attempts of one consent. Without a mandate it follows from
 * the payment's ids alone.
 */
export function chargeKeyOf(payment: ActorDoc, mandate: Pick<MandateDoc, 'agreement'> | undefined): string {
  const { cycleOf } = contextOf(payment);
  if (mandate !== undefined) return mandateKey(mandate.agreement, cycleUnder(cycleOf));
  return cycleOf === null ? paymentChargeKey(payment._id) : cycleChargeKey(cycleOf.subscriptionId, cycleOf.cycle);
}

/** The number of a charge within its agreement. The agreement of a payment that is no cycle has one charge. */
export function cycleUnder(cycleOf: PaymentContext['cycleOf']): number {
  return cycleOf?.cycle ?? 1;
}
