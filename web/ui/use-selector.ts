import { useLayoutEffect, useState } from 'preact/hooks';

interface Readable<Context> {
  getSnapshot(): { readonly context: Context };
  subscribe(listener: () => void): { unsubscribe(): void };
}

/** What `select` takes out of a store of @xstate/store; renders again when that is another value. */
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
