import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface PanelProps {
  readonly title: ComponentChildren;
  readonly look?: 'stack' | 'stack-tight' | 'stack-tight small';
  /** Stands beside the heading. */
  readonly beside?: ComponentChildren;
  readonly testId?: string;
  readonly children: ComponentChildren;
}

/** A part of a page with its heading. */
export function Panel({ title, look = 'stack', beside, testId, children }: PanelProps) {
  const id = useId();
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section class={`card ${look}`} aria-labelledby={id} data-testid={testId}>
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
