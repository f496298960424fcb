import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { messageOf } from '../ui/message-of.ts';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { staffApi } from './api.ts';

export interface ConfirmDialogProps {
  /** The action, as on its buttons. */
  readonly title: string;
  /** It cannot be undone. */
  readonly isDanger: boolean;
  readonly what: string;
  /** Below `/staff/api`. */
  readonly path: string;
  readonly body: { readonly [name: string]: boolean };
  /** The label of an optional field for an address. */
  readonly addressField?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Every action needs a reason, which the journal keeps with the name of the member of the staff. */
export function ConfirmDialog({
  title,
  isDanger,
  what,
  path,
  body,
  addressField,
  onClose,
  onDone,
}: ConfirmDialogProps) {
  const id = useId();
  const [reason, setReason] = useState('');
  const [to, setTo] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    if (reason.trim() === '') {
      setError('Enter a reason. The journal keeps it.');
      return;
    }
    setBusy(true);
    setError(null);
    try {
      const sent = { ...body, reason: reason.trim(), ...(to.trim() === '' ? {} : { to: to.trim() }) };
      await staffApi(`/${path.replace(/^\//, '')}`, 'POST', sent);
      toast(`${title}: done`, 'good');
      onDone();
      onClose();
    } catch (problem) {
      // After the page has changed, the dialog cannot show the error any more.
      if (isShown.current) setError(messageOf(problem));
      else toast(`${title}: ${messageOf(problem)}`, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{what}</p>
        {addressField !== undefined && <Field label={addressField} value={to} onInput={setTo} />}
        <div class="field">
          <label for={id}>Reason</label>
          <textarea
            id={id}
            rows={3}
            maxLength={500}
            value={reason}
            aria-invalid={error !== null && reason.trim() === ''}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        {error !== null && <Notice tone="bad">{error}</Notice>}
        <div class="row">
          <Button type="submit" variant={isDanger ? 'danger' : 'primary'} busy={isBusy}>
            {title}
          </Button>
          <Button onClick={onClose}>Go back</Button>
        </div>
      </form>
    </Dialog>
  );
}
