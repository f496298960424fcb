import { and, assign, setup } from 'xstate';
import { ATTEMPTS_KEPT, type DeliveryContext, type DeliveryState, deliveryContext } from './delivery/context.ts';
import { type DeliveryEvent, deliveryEvent } from './delivery/events.ts';
import { onEventOf } from './implementations.ts';
import { parseOnce } from './parse-once.ts';
import { nextTurnCheck, nextWebhookAttempt } from './rules/backoff.ts';
import { later } from './rules/period.ts';
import type { MachineVersion } from './versions.ts';

type Context = DeliveryContext;
type Event = DeliveryEvent;

const onEvent = onEventOf<Context, Event>();

/**
 * The sender of an attempt reports its end within this time (the request times out after 15 s); otherwise the attempt
 * is made again.
 */
const LEASE_MS = 30_000;

const delivery = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
  },
  actions: {
    beginNext: assign(({ context, event }) => ({ attempt: context.attempt + 1, wakeAt: later(event.now, LEASE_MS) })),
    beginAgain: assign(({ event }) => ({ wakeAt: later(event.now, LEASE_MS) })),
    checkLater: assign(({ context, event }) => ({
      looks: context.looks + 1,
      wakeAt: nextTurnCheck(context.looks, event.now),
    })),
    beginAnew: assign(({ context }) => ({ madeBefore: context.attempt })),
    record: assign(
      onEvent('attempt.ended', (context, event) => ({
        attempts: [...context.attempts, event.record].slice(-ATTEMPTS_KEPT),
        wakeAt: null,
      })),
    ),
    waitForRetry: assign(({ context, event }) => ({ wakeAt: nextWebhookAttempt(attemptNumber(context), event.now) })),
  },
  guards: {
    isDue: ({ context, event }) => context.wakeAt !== null && context.wakeAt <= event.now,
    isThisAttempt: onEvent('attempt.ended', (context, event) => event.record.attempt === context.attempt),
    wasDelivered: onEvent('attempt.ended', (_, event) => event.outcome === 'delivered'),
    hadNoEndpoint: onEvent('attempt.ended', (_, event) => event.outcome === 'no_endpoint'),
    hasRetryLeft: ({ context, event }) => nextWebhookAttempt(attemptNumber(context), event.now) !== null,
  },
});

/** The number of the present attempt among its six; a redelivery has six of its own. */
function attemptNumber({ attempt, madeBefore = 0 }: Context): number {
  return attempt - madeBefore;
}

/** Any 2xx is success (docs/rules.md, "Webhooks"). */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A redelivery that the merchant requests starts at once and has six attempts, whatever happened before. */
const again = { target: 'sending', actions: ['beginAnew', 'beginNext'] } as const;

/**
 * One webhook event on its way to the merchant (reference, section 6: Retries; docs/rules.md, "Webhooks"). Whoever
 * stores that it is `sending` makes the attempt.
 */
export const deliveryMachine = delivery.createMachine({
  id: 'delivery',
  version: '1',
  context: ({ input }) => input,
  initial: 'queued',
  states: {
    queued: {
      description: 'Waits until the first attempt of the previous event has ended.',
      on: {
        'turn.came': { target: 'sending', actions: 'beginNext' },
        'delivery.due': { guard: 'isDue', actions: 'checkLater' },
      },
    },
    sending: {
      description: 'An attempt is running.',
      on: {
        'attempt.ended': [
          {
            guard: and(['isThisAttempt', 'wasDelivered']),
            target: 'delivered',
            actions: 'record',
          },
          {
            guard: and(['isThisAttempt', 'hadNoEndpoint']),
            target: 'no_endpoint',
            actions: 'record',
          },
          {
            guard: and(['isThisAttempt', 'hasRetryLeft']),
            target: 'retrying',
            actions: ['record', 'waitForRetry'],
          },
          { guard: 'isThisAttempt', target: 'failed', actions: 'record' },
        ],
        'delivery.due': { guard: 'isDue', actions: 'beginAgain' },
      },
    },
    retrying: {
      description: 'Waits for the next attempt.',
      on: {
        'delivery.due': { guard: 'isDue', target: 'sending', actions: 'beginNext' },
        'redelivery.requested': { target: 'sending', actions: 'beginNext' },
      },
    },
    delivered: {
      description: 'The endpoint answered 2xx.',
      on: { 'redelivery.requested': again },
    },
    failed: {
      description: 'All six attempts failed.',
      on: { 'redelivery.requested': again },
    },
    no_endpoint: {
      description: 'The merchant had no webhook URL.',
      on: { 'redelivery.requested': again },
    },
  },
});

/** The rules of a delivery. It is no actor: its event's document has its state. */
export const DELIVERY: MachineVersion = {
  version: 1,
  machine: deliveryMachine,
  context: parseOnce(deliveryContext),
  event: deliveryEvent,
};

/** A delivery whose turn has not come. */
export function queuedDelivery(now: string): DeliveryState {
  return { status: 'queued', attempt: 0, attempts: [], looks: 1, wakeAt: nextTurnCheck(0, now) };
}

/** A delivery whose first attempt is under way. */
export function begunDelivery(now: string): DeliveryState {
  return { status: 'sending', attempt: 1, attempts: [], looks: 0, wakeAt: later(now, LEASE_MS) };
}
