import {
  type AttemptRecord,
  type DeliveryContext,
  deliveryContext,
  deliveryEnded,
  deliveryInTurn,
  newDelivery,
} from '../../../machines/delivery/context.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { TestActor } from './actor.ts';

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

/** `found`: the record of a first attempt that had ended before its creation. `inTurn`: it may start at once. */
interface Made {
  readonly found?: AttemptRecord;
  readonly inTurn?: true;
}

function contextOf({ found, inTurn }: Made): DeliveryContext {
  const made = { id: 'dlv_1', eventId: 'evt_1', resourceId: 'sub_1', sequence: 3 };
  if (found) return deliveryEnded(made, found);
  return inTurn ? deliveryInTurn(made) : newDelivery(made);
}

/** The delivery of a resource's third event, made at `START`. */
export class TestDelivery extends TestActor<'delivery'> {
  constructor(made: Made = {}) {
    super('delivery', contextOf(made), START);
    this.create();
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
