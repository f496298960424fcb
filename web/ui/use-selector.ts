import { useLayoutEffect, useState } from 'preact/hooks';

interface Readable<Context> {
  getSnapshot(): { readonly context: Context };
  subscribe(listener: () => void): { unsubscribe(): void };
}

/** The value that `select` takes from a store of @xstate/store; renders again when it changes. */
export function useSelector<Context, Selected>(
  store: Readable<Context>,
  select: (context: Context) => Selected,
): Selected {
  const [selected, setSelected] = useState(() => select(store.getSnapshot().context));
  useLayoutEffect(() => {
    const update = () => setSelected(() => select(store.getSnapshot().context));
    update();
    const subscription = store.subscribe(update);
    return () => subscription.unsubscribe();
  }, [store]);
  return selected;
}
