import type { ComponentChildren } from 'preact';

export interface SpecimenProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** One component in its states. */
export function Specimen({ title, children }: SpecimenProps) {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
