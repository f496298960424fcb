import { z } from 'zod';
import type { UpdateOffer } from '../../billing/offers/offer-changes.ts';
import { invalid } from '../../errors/fault.ts';
import { allFixed, given, name } from '../../http/input/fields.ts';
import { pauseInput, planChangesInput, presentation } from './fields.ts';

const updatable = {
  ...presentation,
  name: name(200).optional().describe('The name of the product.'),
  active: z.boolean().optional().describe('`false` hides it from new checkouts; existing subscriptions keep billing.'),
  metadata: z
    .record(z.string(), z.string().nullable())
    .nullish()
    .describe('Merged with the present keys; `null` removes a key, or all of them. At most 16 KB of JSON afterwards.'),
};

/** The body of a PATCH: fields that can be updated, and known fields that cannot (docs/rules.md, "Errors"). */
export const updateBody = z.object({
  ...updatable,
  ...allFixed('pricing', 'merchantDestinationWallet', 'splitEvm', 'splitSolana', 'id', 'checkoutUrl', 'redeemedCount'),
  ...allFixed('isSandbox', 'idempotencyKey', 'createdAt', 'updatedAt'),
});

/** Throws 400 if nothing is to be updated. */
export function updateInput(body: z.output<typeof updateBody>): UpdateOffer {
  const { afterCompletion, features, collectFields, allowedPaymentMethods, planChanges, pause, ...plain } = body;
  const change: UpdateOffer = {
    ...given(plain),
    ...given({
      afterCompletion: afterCompletion === null ? {} : afterCompletion,
      features: features === null ? [] : features,
      collectFields: collectFields === null ? {} : collectFields,
      allowedPaymentMethods: allowedPaymentMethods === null ? {} : allowedPaymentMethods,
      planChanges: planChanges === undefined ? undefined : planChangesInput(planChanges),
      pause: pause === undefined ? undefined : pauseInput(pause),
    }),
  };
  if (Object.keys(change).length === 0) throw invalid('body must have at least one field that can be updated');
  return change;
}
