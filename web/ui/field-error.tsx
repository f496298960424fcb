import { useFieldProblem } from './field-problem.ts';

/** What the service has reported about a part of the form that is no line of text. */
export function FieldError({ name }: { readonly name: string }) {
  const problem = useFieldProblem(name);
  return (
    problem && (
      <span class="field-error" role="alert">
        {problem.text}
      </span>
    )
  );
}
