import type { EffectOf } from '../../../machines/effects.ts';
import type { EventOf } from '../../../machines/versions.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../../engine/types.ts';
import { cyclePaymentId } from './open-charge.ts';
import { delivered, senderOf } from './results.ts';

/** `subscription.tell`: what a cycle's payment has to say to its subscription. */
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

/** `charge.withdraw`: its subscription has ended; what has not been started is taken back. */
export function withdrawCharge(engine: Engine): EffectHandler<EffectOf<'charge.withdraw'>> {
  return (items) => notifyPayments(engine, items, () => ({ type: 'charge.withdrawn' }));
}

/** `charge.schedule`: when the failed payment is tried again. */
export function scheduleCharge(engine: Engine): EffectHandler<EffectOf<'charge.schedule'>> {
  return (items) =>
    notifyPayments(engine, items, ({ effect }) => ({ type: 'charge.scheduled', nextAttemptAt: effect.nextAttemptAt }));
}

/**
 * The payment exists: a subscription's effects run in order, by whoever drains them from the first that is stored, and
 * what is sent here is only sent where `charge.open` of that cycle stands before it.
 */
async function notifyPayments<E extends EffectOf<'charge.withdraw' | 'charge.schedule'>>(
  engine: Engine,
  items: readonly EffectItem<E>[],
  eventOf: (item: EffectItem<E>) => EventOf<'payment'>,
): Promise<EffectResult[]> {
  const requests = items.map((item) => ({
    kind: 'payment' as const,
    id: cyclePaymentId(item.source.id, item.effect.cycle),
    event: eventOf(item),
    by: `subscription:${item.source.id}`,
    sender: senderOf(item),
  }));
  const results = await engine.dispatchMany(requests);
  return results.map((result, index) => delivered(result, requests[index]?.id ?? ''));
}
