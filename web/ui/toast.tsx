import { createStore } from '@xstate/store';
import { classNames } from './class-names.ts';
import { useSelector } from './use-selector.ts';

export interface Toast {
  readonly id: number;
  readonly tone: 'plain' | 'good' | 'bad';
  readonly text: string;
}

const SHOWN_MS = 6_000;

const store = createStore({
  context: { next: 1, toasts: [] as readonly Toast[] },
  on: {
    shown: ({ next, toasts }, { tone, text }: Pick<Toast, 'tone' | 'text'>) => ({
      next: next + 1,
      toasts: [...toasts, { id: next, tone, text }],
    }),
    gone: ({ next, toasts }, { id }: { id: number }) => ({ next, toasts: toasts.filter((toast) => toast.id !== id) }),
  },
});

/** Shows a short message. If the reader has to act on it, put it into the page instead. */
export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = store.getSnapshot().context.next;
  store.trigger.shown({ tone, text });
  setTimeout(() => store.trigger.gone({ id }), SHOWN_MS);
}

/** Shows all toasts. A page has one. */
export function Toasts() {
  const toasts = useSelector(store, (context) => context.toasts);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, tone, text }) => (
        <div key={id} class={classNames('notice toast', tone !== 'plain' && `notice-${tone}`)}>
          {text}
        </div>
      ))}
    </div>
  );
}
