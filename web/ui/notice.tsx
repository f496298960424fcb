import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

export interface NoticeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly title?: string;
  /** A step begins with it: its title is a heading, to which the focus can go. */
  readonly isStep?: boolean;
  /** It is in a region that is announced: it is no region of its own. */
  readonly isInRegion?: boolean;
  readonly children?: ComponentChildren;
}

/** Something to know or to do; what is bad is announced. What else is to be announced stands in a `StatusRegion`. */
export function Notice({ tone = 'plain', title, isStep = false, isInRegion = false, children }: NoticeProps) {
  return (
    <div
      class={classNames('notice', tone !== 'plain' && `notice-${tone}`)}
      role={tone === 'bad' && !isInRegion ? 'alert' : undefined}
    >
      {title && (isStep ? <h2 class="notice-title">{title}</h2> : <strong class="notice-title">{title}</strong>)}
      <div class="notice-body">{children}</div>
    </div>
  );
}
