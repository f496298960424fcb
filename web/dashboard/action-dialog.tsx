import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useAction } from './use-action.ts';

export interface ActionDialogProps {
  readonly title: string;
  /** The button that acts. */
  readonly action: string;
  /** It cannot be undone. */
  readonly isDanger?: boolean;
  /** An error that it throws is shown, and the dialog stays open. */
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question, or a form, before a request that changes something. */
export function ActionDialog({ title, action, isDanger = false, run, onClose, children }: ActionDialogProps) {
  const { isBusy, problem, act } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await act(run)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        <div class="row">
          <Button type="submit" variant={isDanger ? 'danger' : 'primary'} busy={isBusy}>
            {action}
          </Button>
          <Button onClick={onClose}>Go back</Button>
        </div>
      </form>
    </Dialog>
  );
}
