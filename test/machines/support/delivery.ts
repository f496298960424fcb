import { type DeliveryContext, deliveryContext } from '../../../machines/delivery/context.ts';
import { queuedDelivery } from '../../../machines/delivery.ts';
import { type EventOf, TestActor } from './actor.ts';

export const START = '2026-01-31T10:00:00.000Z';
export const TURN = { type: 'turn.came' } as const;
export const DUE = { type: 'delivery.due' } as const;

/** The end of an attempt, as its sender reports it. */
export function ended(
  attempt: number,
  outcome: 'delivered' | 'failed' | 'no_endpoint',
): Extract<EventOf<'delivery'>, { type: 'attempt.ended' }> {
  const record = { attempt, startedAt: START, durationMs: 12, status: null, error: null, body: null };
  return { type: 'attempt.ended', outcome, record };
}

/** A delivery that is queued at `START`. */
export class TestDelivery extends TestActor<'delivery'> {
  constructor() {
    const { status: _, ...context } = queuedDelivery(START);
    super('delivery', context, START);
  }

  get context(): DeliveryContext {
    return deliveryContext.parse(this.state.context);
  }

  /** Goes through failing attempts until so many have ended. */
  failsTimes(times: number): this {
    for (let attempt = 1; attempt <= times; attempt += 1) {
      if (attempt === 1) this.send(TURN);
      else this.at(this.context.wakeAt).send(DUE);
      this.send(ended(attempt, 'failed'));
    }
    return this;
  }
}
