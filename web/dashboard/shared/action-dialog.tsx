import type { ComponentChildren } from 'preact';
import { ActionForm } from '../../ui/action-form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

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
  const goBack = <Button onClick={onClose}>Go back</Button>;
  const variant = isDanger ? 'danger' : 'primary';
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm class="stack" action={action} variant={variant} run={run} onDone={onClose} beside={goBack}>
        {children}
      </ActionForm>
    </Dialog>
  );
}
