import type { Effect } from '../../../machines/effects.ts';
import type { Json } from '../../../machines/json.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';

/** The state of a machine, outermost first: `pending.charging`. */
export function stateNameOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') throw new Error(`${JSON.stringify(value)} is no state`);
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${stateNameOf(inner)}`)
    .join(' & ');
}

/** A short unique text of an effect, for tables. */
export function inWords(effect: Effect): string {
  switch (effect.type) {
    case 'webhook.emit':
      return [effect.event, effect.data['reason']].filter((word) => word !== undefined).join('/');
    case 'charge.open':
      return `open ${effect.cycle}.${effect.attempt}`;
    case 'charge.withdraw':
      return `withdraw ${effect.cycle}`;
    case 'charge.schedule':
      return `schedule ${effect.cycle} ${effect.nextAttemptAt?.slice(0, 10) ?? 'never'}`;
    case 'letter.write':
      return `write ${effect.letter}`;
    case 'charge.request':
      return effect.round === 0 ? `request ${effect.attempt}` : `request ${effect.attempt} round ${effect.round}`;
    case 'subscription.tell': {
      const { type, cycle, attempt } = effect.message;
      const reason = effect.message.type === 'charge.failed' ? `/${effect.message.reason}` : '';
      return `tell ${type}${reason} ${cycle}.${attempt}`;
    }
    case 'allowance.watch':
      return effect.interest === 'charge' ? 'watch' : `watch ${effect.interest}`;
    case 'allowance.unwatch':
      return effect.interest === 'charge' ? 'unwatch' : `unwatch ${effect.interest}`;
    case 'allowance.changed':
      return 'allowance changed';
    case 'unit.count':
      return effect.isLate ? 'count late unit' : 'count unit';
    case 'unit.free':
      return 'free unit';
    case 'coupon.release':
      return 'release coupon';
    case 'subscriptions.cancel':
      return 'cancel subscriptions';
    case 'deposit.watch':
      return 'watch deposit';
    case 'deposit.settle':
      return 'settle deposit';
    case 'refund.watch':
      return 'watch refunds';
    case 'payer.link':
      return `link ${effect.chainFamily} payer`;
    case 'payout.registered':
      return 'payout registered';
    default:
      return unknownCase(effect, 'effect');
  }
}
