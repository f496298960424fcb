import type { ComponentChildren } from 'preact';
import { Button, type ButtonProps } from './button.tsx';
import { Notice } from './notice.tsx';
import { useAction } from './use-action.ts';

export interface ActionFormProps {
  /** The button that acts. */
  readonly action: string;
  readonly variant?: ButtonProps['variant'];
  readonly class?: string;
  /** An error that it throws is shown, and the form stays as it is. */
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
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await act(run)) onDone?.();
  };
  return (
    <form class={look} onSubmit={(event) => void submit(event)}>
      {children}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div class="row">
        <Button type="submit" variant={variant} busy={isBusy}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  );
}
