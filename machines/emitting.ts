import { type EventObject, enqueueActions, type MachineContext } from 'xstate';
import type { Effect } from './effects.ts';

/**
 * An action that asks for effects: `decide` names them from context and event, in order. They come out of `transition()`
 * as `{ type: 'effect', params }`; nothing is carried out here.
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
