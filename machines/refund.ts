import { assign, setup } from 'xstate';
import { onEventOf } from './implementations.ts';
import type { RefundContext } from './refund/context.ts';
import type { RefundEvent } from './refund/events.ts';

type Context = RefundContext;
type Event = RefundEvent;

const onEvent = onEventOf<Context, Event>();

const refund = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
  },
  actions: {
    note: assign(onEvent(['refund.sent', 'refund.settled'], (_, { transfer }) => ({ transfer, failure: null }))),
    settle: assign(({ event }) => ({ settledAt: event.now })),
    forget: assign({ transfer: null, settledAt: null }),
    giveUp: assign({ failure: 'canceled' as const }),
    reverse: assign({ failure: 'payment_reversed' as const }),
  },
  guards: {
    isExpired: ({ context, event }) => context.expiresAt <= event.now,
  },
});

/** The transfer is found on the chain. Money has moved, so it counts in whatever state the refund is. */
const found = {
  'refund.sent': { target: 'sent', actions: 'note' },
  'refund.settled': { target: 'settled', actions: ['note', 'settle'] },
} as const;

/**
 * One refund, which the merchant's own wallet sends (docs/rules.md, "Refunds"). Only the chain says that it was made.
 * It is no actor: its payment has its state.
 */
export const refundMachine = refund.createMachine({
  id: 'refund',
  version: '1',
  context: ({ input }) => input,
  initial: 'requested',
  states: {
    requested: {
      description: 'Waits for a transfer by the merchant. Its amount is set aside.',
      on: {
        ...found,
        'refund.canceled': { target: 'failed', actions: 'giveUp' },
        'refund.reversed': { target: 'failed', actions: 'reverse' },
        'refund.expired': { guard: 'isExpired', target: 'expired' },
      },
    },
    sent: {
      description: 'The transfer is in a block that is not deep enough yet.',
      on: { ...found, 'refund.reorged': { target: 'requested', actions: 'forget' } },
    },
    settled: {
      description: 'The transfer is final: the payer has the money. It is watched until its block is finalized.',
      on: {
        'refund.settled': { actions: 'note' },
        'refund.reorged': { target: 'requested', actions: 'forget' },
      },
    },
    failed: {
      description: 'Given up before anything moved.',
      on: found,
    },
    expired: {
      description: 'No transfer came in time.',
      on: found,
    },
  },
});
