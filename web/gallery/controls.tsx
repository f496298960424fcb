import { useState } from 'preact/hooks';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { ActionForm } from '../ui/action-form.tsx';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { Copyable, CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, type FieldProps } from '../ui/field.tsx';
import { Fields, useValues } from '../ui/fields.tsx';
import { FileField } from '../ui/file-field.tsx';
import { Panel } from '../ui/panel.tsx';
import { Select } from '../ui/select.tsx';
import { toast } from '../ui/toast.tsx';

/** What people press, type and choose. */
export function Controls() {
  return (
    <>
      <Buttons />
      <FieldStates />
      <Forms />
      <Dialogs />
    </>
  );
}

const VARIANTS = ['primary', 'plain', 'quiet', 'danger'] as const satisfies readonly ButtonProps['variant'][];

function Buttons() {
  return (
    <Panel title="Buttons" id="buttons">
      {VARIANTS.map((variant) => (
        <div key={variant} class="row">
          <Button variant={variant}>{`The ${variant} one`}</Button>
          <Button variant={variant} size="small">
            {`${variant}, small`}
          </Button>
          <Button variant={variant} disabled>
            {`${variant}, disabled`}
          </Button>
          <Button variant={variant} busy>
            {`${variant}, busy`}
          </Button>
        </div>
      ))}
      <div class="row">
        <a class="button" href="#buttons">
          A link as a button
        </a>
        <CopyButton what="link" text="https://pay.example.com" />
        <Copyable what="address" text="0x70997970C51812dc3A010C7d01b50e0d17dc79C8" isShort />
      </div>
    </Panel>
  );
}

const TYPES = ['text', 'email', 'tel', 'password', 'search', 'date'] as const satisfies readonly FieldProps['type'][];

function FieldStates() {
  const [value, setValue] = useState('Coffee Club');
  const [chosen, setChosen] = useState('month');
  const all = { value, onInput: setValue };
  return (
    <Panel title="Fields">
      <Field label="Plain" {...all} />
      <Field label="With a hint" hint="As payers read it." {...all} />
      <Field label="With an error" error="It is taken. Choose another one." {...all} />
      <Field label="With both, required" hint="Up to 200 characters." error="It must not be empty." required {...all} />
      {TYPES.map((type) => (
        <Field key={type} label={`Of the type ${type}`} type={type} value="" onInput={() => {}} placeholder="Empty" />
      ))}
      <Select
        label="Interval"
        value={chosen}
        onChange={setChosen}
        options={[
          ['week', 'every week'],
          ['month', 'every month'],
        ]}
      />
      <FileField label="File" accept="image/png" hint="A PNG of at most 64 KB." error={null} onFile={() => {}} />
      <FileField
        label="File with an error"
        accept="image/png"
        hint="A PNG of at most 64 KB."
        error="tea.svg is no PNG."
        onFile={() => {}}
      />
    </Panel>
  );
}

const PRICE = [
  { name: 'name', label: 'Name that is accepted', required: true },
  { name: 'note', label: 'Longer text', rows: 3 },
] as const;

function Forms() {
  const { values, onChange } = useValues({ name: 'Coffee Club', note: 'Beans' });
  const refuse = async () => {
    throw new Error('The name is taken. Choose another one.');
  };
  return (
    <Panel title="Forms" id="forms">
      <ActionForm action="Save the name" run={async () => toast('It is saved.', 'good')}>
        <Fields fields={PRICE} values={values} onChange={onChange} />
      </ActionForm>
      <ActionForm action="Save it too" variant="plain" run={refuse} beside={<a href="#forms">All names</a>}>
        <Field label="Name that is refused" value={values.name} onInput={(name) => onChange('name', name)} />
      </ActionForm>
    </Panel>
  );
}

function Dialogs() {
  const [isOpen, setOpen] = useState(false);
  const [isActionOpen, setActionOpen] = useState(false);
  return (
    <Panel title="Dialogs and toasts">
      <div class="row">
        <Button onClick={() => setActionOpen(true)}>Open a dialog</Button>
        <Button onClick={() => setOpen(true)}>Open a plain dialog</Button>
        <Button onClick={() => toast('A plain toast.')}>Plain toast</Button>
        <Button onClick={() => toast('It is saved.', 'good')}>Good toast</Button>
        <Button onClick={() => toast('It could not be saved.', 'bad')}>Bad toast</Button>
      </div>
      {isOpen && (
        <Dialog title="A plain dialog" onClose={() => setOpen(false)}>
          <p>Escape closes it.</p>
        </Dialog>
      )}
      {isActionOpen && (
        <ActionDialog
          title="End the subscription?"
          action="End it now"
          isDanger
          run={async () => toast('It has ended.', 'good')}
          onClose={() => setActionOpen(false)}
        >
          <p>It ends at once, and no further charge begins.</p>
        </ActionDialog>
      )}
    </Panel>
  );
}
