import { createStore } from '@xstate/store';
import type { Session } from './types.ts';

interface Context {
  /** `unknown`: nobody has asked yet. */
  readonly standing: 'unknown' | 'open' | 'none';
  readonly who: Session | null;
}

/** Who uses the console. The cookie itself is nowhere in the page. */
export const session = createStore({
  context: { standing: 'unknown', who: null } as Context,
  on: {
    opened: (_, { who }: { who: Session }): Context => ({ standing: 'open', who }),
    ended: (): Context => ({ standing: 'none', who: null }),
  },
});
