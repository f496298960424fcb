import type { EffectType } from '../machines/effects.ts';

export function forEveryEffect<H>(handler: H): Record<EffectType, H> {
  return {
    'webhook.emit': handler,
    'letter.write': handler,
    'charge.open': handler,
    'charge.withdraw': handler,
    'charge.schedule': handler,
    'charge.request': handler,
    'deposit.watch': handler,
    'deposit.settle': handler,
    'refund.watch': handler,
    'subscription.tell': handler,
    'allowance.watch': handler,
    'allowance.unwatch': handler,
    'allowance.changed': handler,
    'unit.count': handler,
    'unit.free': handler,
    'coupon.release': handler,
    'subscriptions.cancel': handler,
    'payer.link': handler,
    'payout.registered': handler,
  };
}
