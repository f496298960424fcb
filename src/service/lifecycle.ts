import { createStore } from '@xstate/store';

/** Where this process is between its start and its end; what it cannot be without is `lost` when it dies. */
export type Phase = 'starting' | 'serving' | 'stopping' | 'lost';

export interface LifecycleState {
  readonly phase: Phase;
  /** What has died, for people; null unless the phase is `lost`. */
  readonly why: string | null;
}

/** The process's own state: what `/health` shows whoever sends requests its way. Phases only go forward. */
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
