import type { EffectOf } from '../../../../machines/effects.ts';
import type { EventOf } from '../../../../machines/versions.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../../../engine/types.ts';
import { cyclePaymentId } from '../../../model/payment.ts';
import { delivered, senderOf } from '../../actors/effect-results.ts';

/** `charge.withdraw`: withdraws a charge that has not been started, because its subscription has ended. */
export function withdrawCharge(engine: Engine): EffectHandler<EffectOf<'charge.withdraw'>> {
  return (items) => notifyPayments(engine, items, () => ({ type: 'charge.withdrawn' }));
}

/** `charge.schedule`: sets when the failed payment is tried again. */
export function scheduleCharge(engine: Engine): EffectHandler<EffectOf<'charge.schedule'>> {
  return (items) =>
    notifyPayments(engine, items, ({ effect }) => ({ type: 'charge.scheduled', nextAttemptAt: effect.nextAttemptAt }));
}

/**
 * The payment always exists: a subscription's effects run in order, and `charge.open` of that cycle comes before these.
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
