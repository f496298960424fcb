import type { EffectOf } from '../../../../machines/effects.ts';
import type { Catalog } from '../../../chains/catalog.ts';
import type { EffectHandler } from '../../../engine/types.ts';
import { subscriptionContextOf } from '../../../model/subscription.ts';
import { each } from '../../actors/effect-results.ts';
import { type NotifyDeps, notifyLive } from '../../actors/notify-live.ts';
import { payerLinked } from './dispatches.ts';

/**
 * `payer.link`: live subscriptions of the customer without a wallet get the customer's present one, which may differ
 * from the one at the time of the effect. Others keep theirs. Idempotent.
 */
export function linkPayer(deps: NotifyDeps & { readonly catalog: Catalog }): EffectHandler<EffectOf<'payer.link'>> {
  return (items) =>
    each(items, async ({ source, effect: { chainFamily } }) => {
      const [customer] = await deps.store.records.get('customers', [source.id]);
      const wallet = customer?.wallets.find((each) => each.chainFamily === chainFamily)?.address;
      if (customer === undefined || customer.deletedAt !== null || wallet === undefined) return 'done';
      const where = { 'attributes.customerId': source.id, 'context.payerWallet': null };
      return notifyLive(deps, source, where, (doc) => {
        const family = deps.catalog.tokenByKey(subscriptionContextOf(doc).terms.tokenKey)?.family;
        return family === chainFamily ? payerLinked(doc._id, source.id, wallet) : null;
      });
    });
}
