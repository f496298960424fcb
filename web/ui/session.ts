import { createStore } from '@xstate/store';
import { useEffect } from 'preact/hooks';
import type { Loaded } from './use-load.ts';

interface Context<Who> {
  /** `unknown`: not checked yet. */
  readonly status: 'unknown' | 'open' | 'none';
  readonly who: Who | null;
  /** True: a session has ended while the page was open. */
  readonly wasOpen: boolean;
}

/**
 * The user who has signed in; the page cannot read the cookie. All tabs of a browser share it, so a sign-in or sign-out
 * in one tab counts for all.
 */
export function createSession<Who>(name: string) {
  const tabs = new BroadcastChannel(name);
  const unknown: Context<Who> = { status: 'unknown', who: null, wasOpen: false };
  const none: Context<Who> = { status: 'none', who: null, wasOpen: false };
  const session = createStore({
    context: unknown,
    on: {
      opened: (_, { who }: { who: Who }): Context<Who> => ({ status: 'open', who, wasOpen: false }),
      ended: ({ who }): Context<Who> => ({ ...none, wasOpen: who !== null }),
      left: () => none,
    },
  });
  /** Takes over what the service says about the session, and asks again after a notice from another tab. */
  const useAnswer = ({ value, reload }: Loaded<{ readonly session: Who | null }>): void => {
    useEffect(() => {
      if (value === null) return;
      if (value.session === null) session.trigger.ended();
      else session.trigger.opened({ who: value.session });
    }, [value]);
    useEffect(() => {
      tabs.addEventListener('message', reload);
      return () => tabs.removeEventListener('message', reload);
    }, [reload]);
  };
  /** Informs the other tabs that the user may have changed. */
  const notifyTabs = (): void => tabs.postMessage('changed');
  return { session, useAnswer, notifyTabs };
}
