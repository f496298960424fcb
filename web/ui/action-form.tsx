import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button.tsx';
import { fieldFaultIn, spoken } from './field-fault.ts';
import { type FieldProblem, FieldProblems } from './field-problem.ts';
import { Notice } from './notice.tsx';
import { useAction } from './use-action.ts';

export interface ActionFormProps {
  /** The button that acts. */
  readonly action: string;
  readonly variant?: ButtonProps['variant'];
  readonly class?: string;
  /** An error that it throws is shown, at its field if it names one, and the form stays as it is. */
  readonly run: () => Promise<unknown>;
  /** Comes after a run without an error. */
  readonly onDone?: () => void;
  /** Stands beside the button. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Fields before a request that changes something. */
export function ActionForm(props: ActionFormProps) {
  const { action, variant = 'primary', class: look = 'stack form', run, onDone, beside, children } = props;
  const { isBusy, problem, act } = useAction(action);
  const form = useRef<HTMLFormElement>(null);
  const [atField, setAtField] = useState<FieldProblem | null>(null);
  const [isAtField, setIsAtField] = useState(false);
  useLayoutEffect(() => {
    const found = fieldFaultIn(problem);
    const field = (found && form.current?.elements.namedItem(found.name)) ?? null;
    setIsAtField(field !== null);
    setAtField(found && field && { ...found, clear: () => setAtField(null) });
    const part = field instanceof HTMLFieldSetElement ? field.querySelector('input') : field;
    if (!(part instanceof HTMLElement)) return;
    part.focus();
    part.scrollIntoView({ block: 'center' });
  }, [problem]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await act(run)) onDone?.();
  };
  return (
    <form ref={form} class={look} onSubmit={(event) => void submit(event)}>
      <FieldProblems.Provider value={atField}>{children}</FieldProblems.Provider>
      {problem !== null && !isAtField && (
        <Notice tone="bad">
          <span class="lines">{spoken(problem)}</span>
        </Notice>
      )}
      <div class="row">
        <Button type="submit" variant={variant} busy={isBusy}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  );
}
