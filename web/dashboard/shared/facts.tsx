import type { ComponentChildren } from 'preact';

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
              <dd translate={false}>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A moment in the reader's time zone and language. */
export function momentText(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{momentText(at)}</time>;
}
