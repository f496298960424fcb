import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
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

/** Shown until the first data arrives; the HTML of the page has the same before the script runs. */
export function Loading({ layout = 'columns' }: { readonly layout?: 'columns' | 'page-narrow stack' }) {
  return (
    <main class={`page ${layout}`} aria-busy="true">
      <h1 class="visually-hidden">{say('common.loading')}</h1>
      <div class="stack">{rows(2)}</div>
      <div class="card stack">{rows(4)}</div>
    </main>
  );
}

function rows(count: number) {
  return Array.from({ length: count }, (_, at) => <div key={at} class="skeleton" aria-hidden="true" />);
}

interface Choice {
  readonly label: string;
  readonly onClick: () => void;
}

export interface QuestionProps {
  readonly title: string;
  readonly text: string;
  /** The right answer of a reader who did not expect the question. */
  readonly safe: Choice;
  readonly other: Choice;
  /** Both are as likely, so neither stands out. */
  readonly isEven?: boolean;
}

/** Replaces a page until the reader has decided what a link may do. */
export function Question({ title, text, safe, other, isEven = false }: QuestionProps) {
  useTitle(title);
  return (
    <main class="page page-narrow stack">
      <h1>{title}</h1>
      <p>{text}</p>
      <div class="row">
        <Button variant={isEven ? 'plain' : 'primary'} onClick={safe.onClick}>
          {safe.label}
        </Button>
        <Button onClick={other.onClick}>{other.label}</Button>
      </div>
    </main>
  );
}
