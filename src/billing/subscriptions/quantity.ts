import { quantityRefusal } from '../../../machines/subscription/changes.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { SentBy } from '../../engine/types.ts';
import { conflict, type Fault, invalid } from '../../errors/fault.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';
import { type Created, claimKey, storedKey } from '../resources/idempotency.ts';
import { quantityRange } from './opening.ts';
import { command, requireSubscription } from './subscriptions.ts';

export interface QuantityChange {
  readonly quantity: number;
  readonly idempotencyKey: string | null;
}

/**
 * Sets the quantity of the cycles from the next one on (docs/rules.md, "Subscriptions": quantity). The same quantity
 * changes nothing. Throws 404, 400 if the price does not have it, and 409 while a cycle is open, or once it has ended.
 */
export async function changeQuantity(
  deps: BillingDeps,
  tenant: Tenant,
  id: string,
  { quantity, idempotencyKey }: QuantityChange,
  by: SentBy,
): Promise<Created<ActorDoc>> {
  const seen = await requireSubscription(deps, tenant, id);
  const key = idempotencyKey === null ? null : `quantity:${id}:${idempotencyKey}`;
  const earlier = key && (await storedKey(deps.store.records, key));
  const asked = String(quantity);
  if (earlier) return { resource: seen, replayed: true, mismatch: earlier.requestHash !== asked };
  const event = { type: 'quantity.requested', quantity } as const;
  const refusal = (doc: ActorDoc) => (isLive(doc) ? refusalOf(doc, quantity) : null);
  const doc = await command(deps, seen, { event, by, needs: 'pending, active or past_due', refusal });
  // After the change: repeating it changes nothing, so a process that dies in between loses nothing.
  if (key !== null) {
    await claimKey(deps.store, {
      _id: key,
      merchantId: tenant.merchantId,
      actorId: id,
      requestHash: asked,
      createdAt: deps.clock(),
    });
  }
  return { resource: doc, replayed: false, mismatch: false };
}

/** True if its payer may set the quantity, and no open cycle is in the way. */
export function mayChangeQuantity(doc: ActorDoc): boolean {
  const context = subscriptionContextOf(doc);
  const { model } = context.terms;
  if (!isLive(doc) || model?.kind !== 'per_unit' || model.quantityChangedBy !== 'customer') return false;
  return quantityRefusal(context, model.quantity) === null;
}

/** Why a live subscription does not take this quantity; null: it would. */
function refusalOf(doc: ActorDoc, quantity: number): Fault | null {
  const context = subscriptionContextOf(doc);
  const { model } = context.terms;
  const what = model?.kind === 'metered' ? 'metered' : 'fixed';
  const refusal = quantityRefusal(context, quantity);
  switch (refusal) {
    case null:
      return null;
    case 'fixed_price':
      return invalid(`quantity is for a price per unit only, and the price of this subscription is ${what}`);
    case 'out_of_range':
      return invalid(model?.kind === 'per_unit' ? quantityRange(model) : 'quantity is not one of this price');
    case 'open_cycle':
      return conflict(
        `Subscription is ${doc.status} with a cycle that is not paid yet; quantity needs it to be paid first`,
      );
    case 'migration':
      return conflict(
        'The payer has authorized another price, which the next cycle has; quantity needs it to begin first',
      );
    default:
      return unknownCase(refusal, 'refusal');
  }
}
