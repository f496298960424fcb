import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

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
