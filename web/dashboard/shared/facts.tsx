import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../ui/copy-button.tsx';

export interface FactsProps {
  /** Name and value; a value of null is left out. */
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** Names with their values. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** An id, an address or a hash, with a button that copies it. */
export function Copyable({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <span class="copyable">
      <code>{text}</code> <CopyButton what={what} text={text} />
    </span>
  );
}

/** A moment in the reader's time zone and language. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at}>{new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}</time>
  );
}
