import { assertEvent, assign, setup } from 'xstate';
import { z } from 'zod';
import { created, frame, freshFrame, timed } from '../../../machines/actor.ts';
import { type Effect, moment } from '../../../machines/effects.ts';
import { asks } from '../../../machines/implementations.ts';
import { parseOnce } from '../../../machines/parse-once.ts';
import { familyOf, type Machines, type MachineVersion } from '../../../machines/versions.ts';

/**
 * The commands of a toy in one event, in the form of a real one (`variables.replaced`), so that the engine's own types
 * hold: `add` to its count, `emit` so many webhooks, `free` so many units, `tell` a subscription so many messages, wake
 * at a time, close, or throw.
 */
const script = z.strictObject({
  add: z.int().optional(),
  emit: z.int().optional(),
  free: z.int().optional(),
  tell: z.int().optional(),
  wakeAt: moment.optional(),
  close: z.boolean().optional(),
  throw: z.boolean().optional(),
  text: z.string().optional(),
});
export type Script = z.infer<typeof script>;

export const toyContext = z.strictObject({
  ...frame,
  id: z.string(),
  count: z.int(),
  woken: z.int(),
  text: z.string(),
  /** Its answer to a wake: like a sound machine, refuse, change nothing, or stay due at the same time. */
  whenWoken: z.enum(['rests', 'refuses', 'ignores', 'stays']),
});
export type ToyContext = z.infer<typeof toyContext>;

export const toyEvent = z.discriminatedUnion('type', [
  created,
  z.strictObject({ type: z.literal('variables.replaced'), ...timed, customVariables: script }),
  z.strictObject({ type: z.literal('clock.moved'), ...timed, clockOffsetMs: z.int().nonnegative() }),
  z.strictObject({ type: z.literal('cycle.due'), ...timed, asked: z.boolean(), charge: z.json() }),
  z.strictObject({ type: z.literal('resume.requested'), ...timed }),
  z.strictObject({ type: z.literal('charge.scheduled'), ...timed, nextAttemptAt: moment.nullable() }),
  z.strictObject({ type: z.literal('charge.withdrawn'), ...timed }),
]);
/** The additional command of the second version. */
export const forced = z.strictObject({ type: z.literal('failure.forced'), ...timed, reason: z.string().nullable() });

type ToyEvent = z.infer<typeof toyEvent> | z.infer<typeof forced>;

export function newToy(id: string, more: Partial<ToyContext> = {}): ToyContext {
  return { ...freshFrame, id, count: 0, woken: 0, text: '', whenWoken: 'rests', ...more };
}

export function toyContextOf(doc: { readonly context: unknown }): ToyContext {
  return toyContext.parse(doc.context);
}

const toy = setup({
  types: { context: {} as ToyContext, events: {} as ToyEvent, input: {} as ToyContext },
  actions: {
    effect: (_, _params: Effect) => {},
    acknowledge: assign({}),
    play: assign(({ context, event }) => {
      assertEvent(event, 'variables.replaced');
      const { add = 0, wakeAt, text, throw: throws } = event.customVariables;
      if (throws) throw new Error('the toy is broken');
      return { count: context.count + add, wakeAt: wakeAt ?? context.wakeAt, text: text ?? context.text };
    }),
    count: assign(({ context }) => ({ count: context.count + 1 })),
    rest: assign(({ context }) => ({ woken: context.woken + 1, wakeAt: null })),
    stay: assign(({ context }) => ({ woken: context.woken + 1 })),
    moveClock: assign(({ event }) => {
      assertEvent(event, 'clock.moved');
      return { clockOffsetMs: event.clockOffsetMs };
    }),
    ask: asks<ToyContext, ToyEvent>((context, event) => {
      assertEvent(event, 'variables.replaced');
      const { emit = 0, free = 0, tell = 0 } = event.customVariables;
      return [
        ...Array.from({ length: emit }, (_, n) => webhook(context, n)),
        ...Array.from(
          { length: free },
          (_, n): Effect => ({ type: 'unit.free', offerId: context.id, holder: `${context.count}.${n}` }),
        ),
        ...Array.from({ length: tell }, (_, n) => message(context, n)),
      ];
    }),
    notifyOthers: asks<ToyContext, ToyEvent>((context) => [{ type: 'charge.withdraw', cycle: context.count }]),
  },
  guards: {
    closes: ({ event }) => event.type === 'variables.replaced' && event.customVariables.close === true,
    restsWhenDue: ({ context, event }) =>
      context.whenWoken === 'rests' && context.wakeAt !== null && context.wakeAt <= event.now,
    ignores: ({ context }) => context.whenWoken === 'ignores',
    stays: ({ context }) => context.whenWoken === 'stays',
  },
});

function webhook({ id, count }: ToyContext, n: number): Effect {
  return { type: 'webhook.emit', event: 'payment.succeeded', data: { id, count, n } };
}

function message({ id }: ToyContext, attempt: number): Effect {
  return {
    type: 'subscription.tell',
    subscriptionId: 'sub_told',
    message: { type: 'charge.pulled', cycle: 0, attempt, paymentId: id },
  };
}

const whileOpen = {
  'actor.created': { actions: 'acknowledge' },
  'variables.replaced': [{ guard: 'closes', target: 'closed', actions: ['play', 'ask'] }, { actions: ['play', 'ask'] }],
  'clock.moved': { actions: 'moveClock' },
  'resume.requested': { actions: 'acknowledge' },
  'charge.scheduled': { actions: ['count', 'notifyOthers'] },
  'charge.withdrawn': { actions: 'count' },
  'cycle.due': [
    { guard: 'restsWhenDue', actions: 'rest' },
    { guard: 'ignores', actions: 'acknowledge' },
    { guard: 'stays', actions: 'stay' },
  ],
} as const;

const closed = { on: { 'charge.withdrawn': { actions: 'acknowledge' } } } as const;

/** Two states and one counter: the smallest machine for tests of an engine. */
const toyMachine = toy.createMachine({
  id: 'toy',
  context: ({ input }) => input,
  initial: 'open',
  states: { open: { on: whileOpen }, closed },
});

/** A later release: the first state has another name, and it accepts one more event. */
export const laterToyMachine = toy.createMachine({
  id: 'toy',
  context: ({ input }) => input,
  initial: 'playing',
  states: { playing: { on: { ...whileOpen, 'failure.forced': { actions: 'count' } } }, closed },
});

export const toyVersion: MachineVersion = {
  version: 1,
  machine: toyMachine,
  context: parseOnce(toyContext),
  event: toyEvent,
};

/** The toy instead of each machine. */
export const TOYS: Machines = toysOf(toyVersion);

export function toysOf(...versions: readonly [MachineVersion, ...MachineVersion[]]): Machines {
  return { subscription: familyOf(versions), payment: familyOf(versions) };
}
