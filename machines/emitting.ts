import { type EventObject, enqueueActions, type MachineContext } from 'xstate';
import type { Effect } from './effects.ts';

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
