import { createStore } from '@xstate/store';

/** The phase of this process. `lost`: a required part has died. */
type Phase = 'starting' | 'serving' | 'stopping' | 'lost';

interface LifecycleState {
  readonly phase: Phase;
  /** The part that has died, for people; null unless the phase is `lost`. */
  readonly why: string | null;
}

/** The state of this process, which `/health` shows to load balancers. Phases only go forward. */
export function createLifecycle() {
  const starting: LifecycleState = { phase: 'starting', why: null };
  return createStore({
    context: starting,
    on: {
      served: (state) => (state.phase === 'starting' ? { ...state, phase: 'serving' as const } : state),
      stopped: (state) => (state.phase === 'lost' ? state : { ...state, phase: 'stopping' as const }),
      lost: (_state, { why }: { why: string }) => ({ phase: 'lost' as const, why }),
    },
  });
}

export type Lifecycle = ReturnType<typeof createLifecycle>;
