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

const TONES: readonly (readonly [tone: Tone, statuses: readonly (string | null)[]])[] = [
  ['good', ['active', 'settled', 'delivered', 'sent', 'final']],
  ['warn', ['past_due', 'retrying', 'suppressed', 'suspended', 'held']],
  ['bad', ['failed', 'refused', 'no_endpoint', 'deleted']],
  ['plain', ['canceled', 'expired', null]],
];

/** The tone of any status or state; null: there is none. */
export function toneOf(status: string | null): Tone {
  return TONES.find(([, statuses]) => statuses.includes(status))?.[0] ?? 'accent';
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
