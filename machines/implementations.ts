import {
  assertEvent,
  type EventDescriptor,
  type EventObject,
  type ExtractEvent,
  enqueueActions,
  type MachineContext,
} from 'xstate';
import type { Effect } from './effects.ts';

/** Makes `onEvent` of a machine: a change or a guard that only events of these types reach. It throws for any other. */
export function onEventOf<C, E extends EventObject>() {
  return <T extends EventDescriptor<E>, R>(
    types: T | readonly T[],
    decide: (context: C, event: ExtractEvent<E, T>) => R,
  ) =>
    ({ context, event }: { readonly context: C; readonly event: E }): R => {
      assertEvent(event, types);
      return decide(context, event);
    };
}

/**
 * An action that requests effects: `decide` derives them from context and event, in order. `transition()` returns them
 * as `{ type: 'effect', params }`; nothing runs here.
 */
export function asks<C extends MachineContext, E extends EventObject>(
  decide: (context: C, event: E) => readonly Effect[],
) {
  return enqueueActions<C, E, undefined, E, never, { type: 'effect'; params: Effect }, never, never, never>(
    ({ context, event, enqueue }) => {
      for (const params of decide(context, event)) enqueue({ type: 'effect', params });
    },
  );
}
