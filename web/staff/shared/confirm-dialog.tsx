import { useId, useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { staffApi } from '../api.ts';

/** A further field of a dialog. An empty one is not sent. */
export interface DialogField {
  /** Its name in the body. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** It is sent as a number if it is one. */
  readonly isNumber?: boolean;
  /** The values to choose from, the first of them at the beginning; absent: free text. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

/** For what belongs to one of the environments. */
export const ENVIRONMENT: DialogField = {
  name: 'mode',
  label: 'Environment',
  options: [
    ['test', 'test'],
    ['live', 'live'],
  ],
};

export interface ConfirmDialogProps<Answer> {
  /** The action, as on its buttons. */
  readonly title: string;
  /** It cannot be undone. */
  readonly isDanger: boolean;
  readonly what: string;
  /** Below `/staff/api`. */
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: { readonly [name: string]: boolean | string };
  readonly fields?: readonly DialogField[];
  /** False: the journal keeps no reason, because nothing existed before. */
  readonly needsReason?: boolean;
  readonly onClose: () => void;
  readonly onDone: (answer: Answer) => void;
}

const NO_FIELDS: readonly DialogField[] = [];

/** Every change needs a reason, which the journal keeps with the name of the member of the staff. */
export function ConfirmDialog<Answer>(props: ConfirmDialogProps<Answer>) {
  const { title, isDanger, what, path, method = 'POST', body = {}, fields = NO_FIELDS, needsReason = true } = props;
  const { onClose, onDone } = props;
  const id = useId();
  const [reason, setReason] = useState('');
  const [values, setValues] = useState(() => firstValues(fields));
  const [isTried, setTried] = useState(false);
  const send = async () => {
    setTried(true);
    if (needsReason && reason.trim() === '') throw new Error('Enter a reason. The journal keeps it.');
    const sent = { ...body, ...(needsReason ? { reason: reason.trim() } : {}), ...sentOf(fields, values) };
    const answer = await staffApi<Answer>(`/${path.replace(/^\//, '')}`, method, sent);
    toast(`${title}: done`, 'good');
    onDone(answer);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm
        class="stack"
        action={title}
        variant={isDanger ? 'danger' : 'primary'}
        run={send}
        onDone={onClose}
        beside={<Button onClick={onClose}>Go back</Button>}
      >
        <p>{what}</p>
        {fields.map((field) => (
          <One
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        {needsReason && (
          <div class="field">
            <label for={id}>Reason</label>
            <textarea
              id={id}
              rows={3}
              maxLength={500}
              value={reason}
              aria-invalid={isTried && reason.trim() === ''}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </div>
        )}
      </ActionForm>
    </Dialog>
  );
}

interface OneProps {
  readonly field: DialogField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function One({ field: { label, hint, options, isNumber = false }, value, onChange }: OneProps) {
  if (options !== undefined) return <Select label={label} value={value} onChange={onChange} options={options} />;
  return <Field label={label} value={value} onInput={onChange} hint={hint} inputMode={isNumber ? 'numeric' : 'text'} />;
}

type Values = { readonly [name: string]: string };

function firstValues(fields: readonly DialogField[]): Values {
  return Object.fromEntries(fields.map(({ name, options }) => [name, options?.[0]?.[0] ?? '']));
}

function sentOf(fields: readonly DialogField[], values: Values): { [name: string]: string | number } {
  const entries = fields.flatMap(({ name, isNumber }) => {
    const text = values[name]?.trim() ?? '';
    if (text === '') return [];
    // If the text is not a number, the service refuses it and says why.
    return [[name, isNumber && /^\d{1,9}$/.test(text) ? Number(text) : text] as const];
  });
  return Object.fromEntries(entries);
}
