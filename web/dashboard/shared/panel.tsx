import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of a page with its heading. */
export function Panel({ title, children }: PanelProps) {
  const id = useId();
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
