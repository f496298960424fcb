import type { Effect } from '../../../machines/effects.ts';
import type { EffectItem } from '../../../src/engine/types.ts';

/** An effect as its handler gets it, by default of a subscription in test mode. */
export function effectItem<E extends Effect>(effect: E, of: Partial<EffectItem['source']> = {}): EffectItem<E> {
  const subscription = { collection: 'subscription', id: 'sub_1', merchantId: 'mrc_1', mode: 'test' } as const;
  const source = { ...subscription, relayAt: null, ...of };
  return { id: `${source.id}:99:0`, mark: [99, 0], at: new Date(0), sequence: null, source, effect };
}
