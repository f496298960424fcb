import { createStore } from '@xstate/store';
import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';
import { useSelector } from './use-selector.ts';

export interface NoticeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly title?: string;
  /** A step begins with it: its title is a heading that can get the focus, and nobody translates this state. */
  readonly isStep?: boolean;
  /** A surrounding region announces it, so it is not a region itself. */
  readonly isInRegion?: boolean;
  /** So that a button can lead to it. */
  readonly id?: string;
  readonly children?: ComponentChildren;
}

/** A message or a task. Bad ones are announced; others are announced only in a `StatusRegion`. */
export function Notice({ tone = 'plain', title, isStep = false, isInRegion = false, id, children }: NoticeProps) {
  return (
    <div
      id={id}
      class={classNames('notice', tone !== 'plain' && `notice-${tone}`)}
      role={tone === 'bad' && !isInRegion ? 'alert' : undefined}
      translate={isStep ? false : undefined}
    >
      {title && (isStep ? <h2 class="notice-title">{title}</h2> : <strong class="notice-title">{title}</strong>)}
      <div class="notice-body">{children}</div>
    </div>
  );
}

/** It exists before its content: browsers announce changes in an existing region, but not the content of a new one. */
export function StatusRegion({ children }: { readonly children?: ComponentChildren }) {
  return (
    <div class="status-region stack" role="status">
      {children}
    </div>
  );
}

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
