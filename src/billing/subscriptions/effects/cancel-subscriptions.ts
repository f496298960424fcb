import type { EffectOf } from '../../../../machines/effects.ts';
import { unknownCase } from '../../../../machines/unknown-case.ts';
import type { Dispatch, EffectHandler, EffectSource } from '../../../engine/types.ts';
import { each } from '../../actors/effect-results.ts';
import { type NotifyDeps, notifyLive } from '../../actors/notify-live.ts';
import { cancelOfCustomer, cancelOfOffer } from './dispatches.ts';

/**
 * `subscriptions.cancel`: cancels every live subscription of a deleted customer or offer. Idempotent; a deletion is
 * permanent.
 */
export function cancelSubscriptions(deps: NotifyDeps): EffectHandler<EffectOf<'subscriptions.cancel'>> {
  return (items) =>
    each(items, ({ source }) => {
      const { attribute, cancel } = whatIsOf(source);
      return notifyLive(deps, source, { [attribute]: source.id }, ({ _id }) => cancel(_id, source.id));
    });
}

interface Belonging {
  readonly attribute: 'attributes.customerId' | 'attributes.offerId';
  readonly cancel: (id: string, ownerId: string) => Dispatch<'subscription'>;
}

function whatIsOf({ collection, id }: EffectSource): Belonging {
  switch (collection) {
    case 'customers':
      return { attribute: 'attributes.customerId', cancel: cancelOfCustomer };
    case 'offers':
      return { attribute: 'attributes.offerId', cancel: cancelOfOffer };
    case 'wallets':
    case 'subscription':
    case 'payment':
      throw new Error(`${id} is one of ${collection}; expected a customer or an offer, which have subscriptions`);
    default:
      return unknownCase(collection, 'collection');
  }
}
