import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

export interface NoticeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly title?: string;
  readonly children?: ComponentChildren;
}

/** Something to know or to do; what is bad is told at once to who does not see it. */
export function Notice({ tone = 'plain', title, children }: NoticeProps) {
  return (
    <div
      class={classNames('notice stack-tight', tone !== 'plain' && `notice-${tone}`)}
      role={tone === 'bad' ? 'alert' : 'status'}
    >
      {title && <strong>{title}</strong>}
      {children}
    </div>
  );
}
