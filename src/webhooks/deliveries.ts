import type { EffectOf } from '../../machines/effects.ts';
import type { Engine } from '../engine/engine.ts';
import type { EffectHandler, EffectResult } from '../engine/types.ts';
import { siblingId } from '../ids.ts';
import type { ActorDoc } from '../store/documents.ts';

/** Who sends the events of this folder. */
export const BY_WEBHOOKS = 'webhooks';

/**
 * The delivery of a resource's event number `sequence`: its id follows from the two, so that it is made once, and the ones
 * before and after it are found without a search.
 */
export function deliveryIdOf(resourceId: string, sequence: number): string {
  return siblingId('dlv', resourceId, String(sequence));
}

/**
 * Tells a delivery that the first attempt of the one before it has ended. Said twice, it changes nothing. One that does not
 * exist looks at the one before it when it is made.
 */
export async function giveTurn(engine: Pick<Engine, 'dispatch'>, id: string, seen?: ActorDoc): Promise<EffectResult> {
  const said = { kind: 'delivery', id, event: { type: 'turn.came' }, by: BY_WEBHOOKS } as const;
  try {
    await engine.dispatch(seen ? { ...said, seen } : said);
    return 'done';
  } catch (error) {
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The handler of `delivery.next`. */
export function nextHandler(engine: Pick<Engine, 'dispatch'>): EffectHandler<EffectOf<'delivery.next'>> {
  return (items) =>
    Promise.all(items.map(({ effect }) => giveTurn(engine, deliveryIdOf(effect.resourceId, effect.sequence))));
}
