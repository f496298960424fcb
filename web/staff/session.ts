import { createStore } from '@xstate/store';
import type { Session } from '../../src/staff/wire.ts';

interface Context {
  /** `unknown`: not checked yet. */
  readonly standing: 'unknown' | 'open' | 'none';
  readonly who: Session | null;
}

/** The user of the console. The page cannot read the cookie. */
export const session = createStore({
  context: { standing: 'unknown', who: null } as Context,
  on: {
    opened: (_, { who }: { who: Session }): Context => ({ standing: 'open', who }),
    ended: (): Context => ({ standing: 'none', who: null }),
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

/** All tabs of a browser share the cookie, so a sign-in or sign-out in one tab counts for all. */
const tabs = new BroadcastChannel('tideline-staff-session');

/** Informs the other tabs that the user may have changed. */
export function notifyTabs(): void {
  tabs.postMessage('changed');
}

/** Calls back after a notice from another tab; returns the function that ends this. */
export function onOtherTab(listener: () => void): () => void {
  tabs.addEventListener('message', listener);
  return () => tabs.removeEventListener('message', listener);
}
