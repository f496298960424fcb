import {
  type AttemptRecord,
  type DeliveryContext,
  deliveryContext,
  deliveryWithoutEndpoint,
  newDelivery,
} from '../../../machines/delivery/context.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { TestActor } from './actor.ts';

export const START = '2026-01-31T10:00:00.000Z';
export const TURN = { type: 'turn.came' } as const;
export const DUE = { type: 'delivery.due' } as const;

/** How an attempt ended, as whoever made it says. */
export function ended(
  attempt: number,
  outcome: 'delivered' | 'failed' | 'no_endpoint',
): Extract<EventOf<'delivery'>, { type: 'attempt.ended' }> {
  const record = { attempt, startedAt: START, durationMs: 12, status: null, error: null, body: null };
  return { type: 'attempt.ended', outcome, record };
}

/** The delivery of a resource's third event, made at `START`. */
export class TestDelivery extends TestActor<'delivery'> {
  /** `found`: the record of a first attempt that had ended before it was made. */
  constructor(found: AttemptRecord | null = null) {
    const made = { id: 'dlv_1', eventId: 'evt_1', resourceId: 'sub_1', sequence: 3 };
    super('delivery', found === null ? newDelivery(made) : deliveryWithoutEndpoint(made, found), START);
    this.create();
  }

  get context(): DeliveryContext {
    return deliveryContext.parse(this.state.context);
  }

  /** Goes through attempts that fail, until so many have ended. */
  failsTimes(times: number): this {
    for (let attempt = 1; attempt <= times; attempt += 1) {
      if (attempt === 1) this.tell(TURN);
      else this.at(this.context.wakeAt).tell(DUE);
      this.tell(ended(attempt, 'failed'));
    }
    return this;
  }
}
