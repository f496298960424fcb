import type { ComponentChildren } from 'preact';

/** A value of null is left out. */
export type Fact = readonly [name: ComponentChildren, value: ComponentChildren];

/** Names with their values, one below the other. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <>
              <dt>{name}</dt>
              <dd translate={false}>{value}</dd>
            </>
          ),
      )}
    </dl>
  );
}
