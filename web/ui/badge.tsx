import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

/** A short label for a state. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={classNames('badge', tone !== 'plain' && `badge-${tone}`)} translate={false}>
      {children}
    </span>
  );
}
