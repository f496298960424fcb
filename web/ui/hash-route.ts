import { createStore } from '@xstate/store';

/** The route in the fragment of the address. `visit` changes with each navigation, also to the same route. */
export function hashRoute<Route>(parse: (hash: string) => Route) {
  const route = createStore({
    context: { route: parse(location.hash), visit: 1 },
    on: { moved: ({ visit }, { to }: { to: Route }) => ({ route: to, visit: visit + 1 }) },
  });
  /** Goes to an address of the page; for the present address, its data is loaded again. */
  const go = (href: string): void => {
    if (location.hash === href) route.trigger.moved({ to: parse(href) });
    else location.hash = href;
  };
  window.addEventListener('hashchange', () => route.trigger.moved({ to: parse(location.hash) }));
  return { route, go };
}
