import { createStore } from '@xstate/store';
import type { Session } from '../../../src/staff/wire.ts';
import { sessionTabs } from '../../ui/session-tabs.ts';

interface Context {
  /** `unknown`: not checked yet. */
  readonly status: 'unknown' | 'open' | 'none';
  readonly who: Session | null;
}

/** The user of the console. The page cannot read the cookie. */
export const session = createStore({
  context: { status: 'unknown', who: null } as Context,
  on: {
    opened: (_, { who }: { who: Session }): Context => ({ status: 'open', who }),
    ended: (): Context => ({ status: 'none', who: null }),
  },
});

/** True if the user may send the events of the API. The service refuses others anyway. */
export function mayAct({ who }: Context): boolean {
  return who !== null && who.role !== 'read';
}

/** True if the user may also send money to an address of their own choice. */
export function mayAdminister({ who }: Context): boolean {
  return who?.role === 'admin';
}

export const { notifyTabs, onOtherTab } = sessionTabs('tideline-staff-session');
