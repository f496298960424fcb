/** All tabs of a browser share the cookie, so a sign-in or sign-out in one tab counts for all. */
export function sessionTabs(name: string) {
  const tabs = new BroadcastChannel(name);
  return {
    /** Informs the other tabs that the user may have changed. */
    notifyTabs: (): void => tabs.postMessage('changed'),
    /** Calls back after a notice from another tab; returns the function that ends this. */
    onOtherTab: (listener: () => void): (() => void) => {
      tabs.addEventListener('message', listener);
      return () => tabs.removeEventListener('message', listener);
    },
  };
}
