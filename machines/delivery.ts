import { and, assign, setup } from 'xstate';
import { ATTEMPTS_KEPT, type DeliveryContext } from './delivery/context.ts';
import type { DeliveryEvent } from './delivery/events.ts';
import type { Effect } from './effects.ts';
import { asks } from './emitting.ts';
import { onEventOf } from './on-event.ts';
import { nextTurnCheck, nextWebhookAttempt } from './rules/backoff.ts';

type Context = DeliveryContext;
type Event = DeliveryEvent;

const onEvent = onEventOf<Context, Event>();

/**
 * The sender of an attempt reports its end within this time (the request times out after 15 s); otherwise the attempt
 * is made again. A lease that ends later than two of them would was begun before the clock was set back, and is over.
 */
const LEASE_MS = 30_000;

const delivery = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
  },
  actions: {
    effect: (_, _params: Effect) => {},

    acknowledge: assign({}),
    beginNext: assign(({ context, event }) => ({ attempt: context.attempt + 1, wakeAt: leaseFrom(event.now) })),
    beginAgain: assign(({ event }) => ({ wakeAt: leaseFrom(event.now) })),
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

    send: asks<Context, Event>((context) => [{ type: 'webhook.send', attempt: context.attempt }]),
  },
  guards: {
    wasDeliveredBefore: ({ context }) => isSuccess(context.attempts[0]?.status ?? null),
    hasEndedBefore: ({ context }) => context.attempts.length > 0,
    hasItsTurn: ({ context }) => context.attempt > 0,
    isDue: ({ context, event }) => context.wakeAt !== null && context.wakeAt <= event.now,
    isLeaseOver: ({ context: { wakeAt }, event: { now } }) =>
      wakeAt !== null && (wakeAt <= now || wakeAt > leaseFrom(leaseFrom(now))),
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
const again = { target: 'sending', actions: ['beginAnew', 'beginNext', 'send'] } as const;

function leaseFrom(now: string): string {
  return new Date(Date.parse(now) + LEASE_MS).toISOString();
}

/** One webhook event on its way to the merchant (reference, section 6: Retries; docs/rules.md, "Webhooks"). */
export const deliveryMachine = delivery.createMachine({
  id: 'delivery',
  version: '1',
  context: ({ input }) => input,
  initial: 'queued',
  on: {
    'turn.came': { actions: 'acknowledge' },
    'attempt.ended': { actions: 'acknowledge' },
  },
  states: {
    queued: {
      description: 'Waits until the first attempt of the previous event has ended.',
      on: {
        'actor.created': [
          { guard: 'wasDeliveredBefore', target: 'delivered', actions: 'acknowledge' },
          { guard: 'hasEndedBefore', target: 'no_endpoint', actions: 'acknowledge' },
          { guard: 'hasItsTurn', target: 'sending', actions: ['beginAgain', 'send'] },
          { actions: 'checkLater' },
        ],
        'turn.came': { target: 'sending', actions: ['beginNext', 'send'] },
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
          { actions: 'acknowledge' },
        ],
        'delivery.due': { guard: 'isLeaseOver', actions: ['beginAgain', 'send'] },
      },
    },
    retrying: {
      description: 'Waits for the next attempt.',
      on: {
        'delivery.due': { guard: 'isDue', target: 'sending', actions: ['beginNext', 'send'] },
        'redelivery.requested': { target: 'sending', actions: ['beginNext', 'send'] },
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
