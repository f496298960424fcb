import type { EffectOf } from '../../../../machines/effects.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { EffectHandler } from '../../../engine/types.ts';
import { delivered, senderOf } from '../../actors/effect-results.ts';

/** `subscription.tell`: sends a message of a cycle's payment to its subscription. */
export function notifySubscription(engine: Engine): EffectHandler<EffectOf<'subscription.tell'>> {
  return async (items) => {
    const requests = items.map((item) => ({
      kind: 'subscription' as const,
      id: item.effect.subscriptionId,
      event: item.effect.message,
      by: `payment:${item.source.id}`,
      sender: senderOf(item),
    }));
    const results = await engine.dispatchMany(requests);
    return results.map((result, index) => delivered(result, requests[index]?.id ?? ''));
  };
}
