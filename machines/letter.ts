import { and, assign, setup } from 'xstate';
import { z } from 'zod';
import { timed } from './actor.ts';
import { ATTEMPTS_KEPT, attemptRecord, deliveryContext } from './delivery/context.ts';
import { onEventOf } from './implementations.ts';
import { parseOnce } from './parse-once.ts';
import { nextLetterAttempt } from './rules/backoff.ts';
import { later } from './rules/period.ts';
import type { MachineVersion } from './versions.ts';

export const letterStatus = z.enum(['queued', 'sending', 'sent', 'suppressed', 'failed']);

/**
 * Why a letter is not sent. `bounced`: a mail server has refused the address for good, or staff say that letters come
 * back. `merchant`: the merchant sends the address none. `unsubscribed`: its reader wants no reminders. `no_address`:
 * the customer is deleted, or has no address any more. `overtaken`: what it would say is no longer so.
 */
export const letterStop = z.enum(['bounced', 'merchant', 'unsubscribed', 'no_address', 'overtaken']);
export type LetterStop = z.infer<typeof letterStop>;

/** As of a delivery. In an attempt, `status` is the SMTP code, and `body` has the words of the mail server. */
export const letterContext = deliveryContext
  .pick({ wakeAt: true, attempt: true, attempts: true })
  .extend({ stop: letterStop.nullable() });
type Context = z.infer<typeof letterContext>;

export interface LetterState extends Context {
  readonly status: z.infer<typeof letterStatus>;
}

export const letterEvent = z.discriminatedUnion('type', [
  /** An attempt is due, or the sender of one has been silent for too long. */
  z.strictObject({ type: z.literal('letter.due'), ...timed }),
  /** `refused`: this address takes no letters, and will not. */
  z.strictObject({
    type: z.literal('attempt.ended'),
    ...timed,
    outcome: z.enum(['sent', 'refused', 'failed']),
    record: attemptRecord,
  }),
  /** Somebody wants one more attempt. */
  z.strictObject({ type: z.literal('resend.requested'), ...timed }),
  /** The attempt is not made. */
  z.strictObject({ type: z.literal('letter.stopped'), ...timed, attempt: z.int().positive(), stop: letterStop }),
]);
export type LetterEvent = z.infer<typeof letterEvent>;

/** The sender of an attempt reports its end within this time; otherwise another one begins. */
const LEASE_MS = 120_000;

const onEvent = onEventOf<Context, LetterEvent>();

const letter = setup({
  types: { context: {} as Context, events: {} as LetterEvent, input: {} as Context },
  actions: {
    beginNext: assign(({ context, event }) => ({
      attempt: context.attempt + 1,
      wakeAt: later(event.now, LEASE_MS),
    })),
    record: assign(
      onEvent('attempt.ended', ({ attempts }, { record, outcome }) => ({
        attempts: [...attempts, record].slice(-ATTEMPTS_KEPT),
        stop: outcome === 'refused' ? ('bounced' as const) : null,
        wakeAt: null,
      })),
    ),
    waitForRetry: assign(({ context, event }) => ({ wakeAt: nextLetterAttempt(context.attempt, event.now) })),
    noteStop: assign(onEvent('letter.stopped', (_, { stop }) => ({ stop, wakeAt: null }))),
    giveUp: assign({ wakeAt: null }),
    wakeNow: assign(({ event }) => ({ wakeAt: event.now, stop: null })),
  },
  guards: {
    isDue: ({ context, event }) => context.wakeAt !== null && context.wakeAt <= event.now,
    isThisAttempt: onEvent('attempt.ended', ({ attempt }, { record }) => record.attempt === attempt),
    isBeforeThis: onEvent('letter.stopped', (context, { attempt }) => attempt === context.attempt),
    wasSent: onEvent('attempt.ended', (_, { outcome }) => outcome === 'sent'),
    wasRefused: onEvent('attempt.ended', (_, { outcome }) => outcome === 'refused'),
    hasAttemptLeft: ({ context, event }) => nextLetterAttempt(context.attempt, event.now) !== null,
  },
});

const resent = { on: { 'resend.requested': { target: 'queued', actions: 'wakeNow' } } } as const;

/** One letter to a payer on its way (docs/rules.md, "Letters"). Whoever stores that it is `sending` sends it. */
export const letterMachine = letter.createMachine({
  id: 'letter',
  version: '1',
  context: ({ input }) => input,
  initial: 'queued',
  states: {
    queued: { on: { 'letter.due': { guard: 'isDue', target: 'sending', actions: 'beginNext' } } },
    sending: {
      on: {
        'attempt.ended': [
          { guard: and(['isThisAttempt', 'wasSent']), target: 'sent', actions: 'record' },
          { guard: and(['isThisAttempt', 'wasRefused']), target: 'suppressed', actions: 'record' },
          { guard: and(['isThisAttempt', 'hasAttemptLeft']), target: 'queued', actions: ['record', 'waitForRetry'] },
          { guard: 'isThisAttempt', target: 'failed', actions: 'record' },
        ],
        'letter.stopped': { guard: 'isBeforeThis', target: 'suppressed', actions: 'noteStop' },
        'letter.due': [
          { guard: and(['isDue', 'hasAttemptLeft']), actions: 'beginNext' },
          { guard: 'isDue', target: 'failed', actions: 'giveUp' },
        ],
      },
    },
    sent: {},
    suppressed: resent,
    failed: resent,
  },
});

/** The rules of a letter. It is no actor: its document has its state. */
export const LETTER: MachineVersion = {
  version: 1,
  machine: letterMachine,
  context: parseOnce(letterContext),
  event: letterEvent,
};
