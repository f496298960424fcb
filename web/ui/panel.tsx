import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface PanelProps {
  readonly title: ComponentChildren;
  /** Of the heading, so that a link can lead to it. */
  readonly id?: string;
  readonly look?: 'stack' | 'stack-tight' | 'stack-tight small';
  /** Stands beside the heading. */
  readonly beside?: ComponentChildren;
  readonly testId?: string;
  readonly children: ComponentChildren;
}

/** A part of a page with its heading. */
export function Panel({ title, id, look = 'stack', beside, testId, children }: PanelProps) {
  const own = useId();
  const heading = <h2 id={id ?? own}>{title}</h2>;
  return (
    <section class={`card ${look}`} aria-labelledby={id ?? own} data-testid={testId}>
      {beside === undefined ? (
        heading
      ) : (
        <div class="spread">
          {heading}
          {beside}
        </div>
      )}
      {children}
    </section>
  );
}

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
