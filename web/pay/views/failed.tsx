import { useTitle } from '../../ui/use-title.ts';
import type { Problem } from '../problem.ts';

/** Replaces a page that cannot be shown, with the reason. */
export function Failed({ problem }: { readonly problem: Problem }) {
  useTitle(problem.title);
  return (
    <main class="page page-narrow stack">
      <h1>{problem.title}</h1>
      <p>{problem.text}</p>
    </main>
  );
}
