import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly size?: 'normal' | 'small';
  readonly type?: 'button' | 'submit';
  /** Work is under way: the button shows it and does not react. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly label?: string;
  /** A step begins with this button: it gets the focus when the focused element disappears. */
  readonly isStep?: boolean;
}

/** It stays in the tab order while it does not react, so that the keyboard focus is not lost. */
export function Button(props: ButtonProps) {
  const { onClick, variant = 'plain', size = 'normal', type = 'button', busy = false, disabled = false } = props;
  const isOff = busy || disabled;
  return (
    <button
      type={type}
      class={classNames('button', variant !== 'plain' && `button-${variant}`, size === 'small' && 'button-small')}
      aria-disabled={isOff}
      aria-busy={busy}
      aria-label={props.label}
      data-step={props.isStep ? '' : undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {/* One child: the parts of a text would take the gap of the button. */}
      <span>{props.children}</span>
    </button>
  );
}
