import type { EffectHandler, EffectHandlers, EffectItem } from '../../src/engine/types.ts';

const other: EffectHandler<EffectItem['effect']> = async ([item]) => {
  throw new Error(`${item?.effect.type} is not carried out here`);
};

const OTHERS: EffectHandlers = {
  'webhook.emit': other,
  'webhook.send': other,
  'deposit.settle': other,
  'deposit.watch': other,
  'charge.open': other,
  'charge.withdraw': other,
  'charge.schedule': other,
  'charge.request': other,
  'subscription.tell': other,
  'allowance.watch': other,
  'allowance.unwatch': other,
  'allowance.changed': other,
  'unit.count': other,
  'unit.free': other,
  'subscriptions.cancel': other,
  'payer.link': other,
  'payout.registered': other,
};

/** A table of effect handlers for a benchmark that meets only these effects; all others throw. */
export function handlersOf(own: Partial<EffectHandlers>): EffectHandlers {
  return { ...OTHERS, ...own };
}
