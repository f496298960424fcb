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

/** The tone of any status or state; null: there is none. */
export function toneOf(status: string | null): Tone {
  switch (status) {
    case 'active':
    case 'settled':
    case 'delivered':
    case 'sent':
    case 'final':
      return 'good';
    case 'past_due':
    case 'retrying':
    case 'suppressed':
    case 'suspended':
    case 'held':
      return 'warn';
    case 'failed':
    case 'refused':
    case 'no_endpoint':
    case 'deleted':
      return 'bad';
    case 'canceled':
    case 'expired':
    case null:
      return 'plain';
    default:
      return 'accent';
  }
}

/** A status in words: `past due`. */
export function statusText(status: string): string {
  return status.replaceAll('_', ' ');
}

/** The words that begin a text: `Past due`. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function Status({ status }: { readonly status: string }) {
  return <Badge tone={toneOf(status)}>{capital(statusText(status))}</Badge>;
}
