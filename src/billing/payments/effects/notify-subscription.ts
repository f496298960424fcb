import type { EffectOf } from '../../../../machines/effects.ts';
import type { EffectHandler } from '../../../engine/types.ts';
import { paymentAttributes, paymentContextOf } from '../../../model/payment.ts';
import { delivered, senderOf } from '../../actors/effect-results.ts';
import type { BillingDeps } from '../../deps.ts';

type Deps = Pick<BillingDeps, 'engine' | 'store'>;

/** `subscription.tell`: sends a message of a cycle's payment to its subscription; of a reorg, with what is owed. */
export function notifySubscription({ engine, store }: Deps): EffectHandler<EffectOf<'subscription.tell'>> {
  return async (items) => {
    const reorged = items
      .filter(({ effect }) => effect.message.type === 'charge.reorged')
      .map(({ source }) => source.id);
    const payments = reorged.length === 0 ? [] : await store.actors.load('payment', reorged);
    const requests = items.map((item) => {
      const { message, subscriptionId: id } = item.effect;
      const payment = payments.find(({ _id }) => _id === item.source.id);
      const owed = payment && {
        tokenKey: paymentAttributes.parse(payment.attributes).tokenKey,
        amount: paymentContextOf(payment).amount,
      };
      const event = message.type === 'charge.reorged' && owed ? { ...message, owed } : message;
      return { kind: 'subscription' as const, id, event, by: `payment:${item.source.id}`, sender: senderOf(item) };
    });
    const results = await engine.dispatchMany(requests);
    return results.map((result, index) => delivered(result, requests[index]?.id ?? ''));
  };
}
