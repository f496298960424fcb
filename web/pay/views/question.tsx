import { Button } from '../../ui/button.tsx';
import { useTitle } from '../../ui/use-title.ts';

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
