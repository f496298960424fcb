import type { ComponentChild, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ActionForm, Fields, type FormField, useValues, type Values } from './form.tsx';
import { toast } from './notice.tsx';

export interface ActionDialogProps {
  readonly title: string;
  /** The button that acts; absent: it has the title. */
  readonly action?: string;
  /** It cannot be undone. */
  readonly isDanger?: boolean;
  /** What a toast says once it is done; absent: nothing. */
  readonly done?: string;
  /** An error that it throws is shown, and the dialog stays open. */
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question, or a form, before a request that changes something. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, action = title, isDanger = false, done, run, onClose, children } = props;
  const goBack = <Button onClick={onClose}>Go back</Button>;
  const variant = isDanger ? 'danger' : 'primary';
  const onDone = () => {
    if (done !== undefined) toast(done, 'good');
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm class="stack" action={action} variant={variant} run={run} onDone={onDone} beside={goBack}>
        {children}
      </ActionForm>
    </Dialog>
  );
}

export interface Question extends Omit<ActionDialogProps, 'onClose' | 'children'> {
  readonly text?: ComponentChildren;
}

/** What it asks with fields, whose texts `run` gets. */
export interface FormQuestion<V extends Values<V>> extends Omit<Question, 'run'> {
  readonly fields: readonly FormField<keyof V & string>[];
  /** Their texts at first. */
  readonly first: V;
  readonly run: (values: V) => Promise<unknown>;
}

/** Asks one question at a time; `dialog` belongs into the page. */
export function useQuestion() {
  const [dialog, setDialog] = useState<ComponentChild>(null);
  const onClose = () => setDialog(null);
  const ask = ({ text, ...question }: Question) => {
    setDialog(
      <ActionDialog {...question} onClose={onClose}>
        <p>{text}</p>
      </ActionDialog>,
    );
  };
  return {
    dialog,
    ask,
    askFor: <V extends Values<V>>(question: FormQuestion<V>) =>
      setDialog(<FormDialog {...question} onClose={onClose} />),
  };
}

type FormDialogProps<V extends Values<V>> = FormQuestion<V> & Pick<ActionDialogProps, 'onClose'>;

function FormDialog<V extends Values<V>>({ text, fields, first, run, ...dialog }: FormDialogProps<V>) {
  const { values, onChange } = useValues(first);
  return (
    <ActionDialog {...dialog} run={() => run(values)}>
      {text && <p>{text}</p>}
      <Fields fields={fields} values={values} onChange={onChange} />
    </ActionDialog>
  );
}
