import { assertEvent, type EventDescriptor, type EventObject, type ExtractEvent } from 'xstate';

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
