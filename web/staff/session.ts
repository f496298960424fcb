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

/** The cookie is one for all tabs of a browser: who signs in or out in one of them does so in all. */
const tabs = new BroadcastChannel('tideline-staff-session');

/** Says to the other tabs that it may be somebody else by now. */
export function notifyTabs(): void {
  tabs.postMessage('changed');
}

/** Calls back when another tab has said so; returns what ends that. */
export function onOtherTab(listener: () => void): () => void {
  tabs.addEventListener('message', listener);
  return () => tabs.removeEventListener('message', listener);
}
