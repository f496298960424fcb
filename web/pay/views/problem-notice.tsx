import { Notice } from '../../ui/notice.tsx';
import type { Problem } from '../problem.ts';

/** Announces a problem; null: there is none. */
export function ProblemNotice({ problem }: { readonly problem: Pick<Problem, 'title' | 'text'> | null }) {
  if (problem === null) return null;
  return (
    <Notice tone="bad" title={problem.title}>
      <p>{problem.text}</p>
    </Notice>
  );
}
