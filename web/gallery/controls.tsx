import { useState } from 'preact/hooks';
import { ActionForm } from '../ui/action-form.tsx';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, type FieldProps } from '../ui/field.tsx';
import { FileField } from '../ui/file-field.tsx';
import { Select } from '../ui/select.tsx';
import { toast } from '../ui/toast.tsx';
import { Specimen } from './specimen.tsx';

/** What people press, type and choose. */
export function Controls() {
  return (
    <>
      <Buttons />
      <Fields />
      <Forms />
      <Dialogs />
    </>
  );
}

const VARIANTS = ['primary', 'plain', 'quiet', 'danger'] as const satisfies readonly ButtonProps['variant'][];

function Buttons() {
  return (
    <Specimen title="Buttons">
      {VARIANTS.map((variant) => (
        <div key={variant} class="row">
          <Button variant={variant}>The {variant} one</Button>
          <Button variant={variant} size="small">
            {variant}, small
          </Button>
          <Button variant={variant} disabled>
            {variant}, disabled
          </Button>
          <Button variant={variant} busy>
            {variant}, busy
          </Button>
        </div>
      ))}
      <div class="row">
        <a class="button" href="#buttons">
          A link as a button
        </a>
        <span>
          <code>0x7099…79C8</code> <CopyButton what="address" text="0x70997970C51812dc3A010C7d01b50e0d17dc79C8" />
        </span>
      </div>
    </Specimen>
  );
}

const TYPES = ['text', 'email', 'tel', 'password', 'search', 'date'] as const satisfies readonly FieldProps['type'][];

function Fields() {
  const [value, setValue] = useState('Coffee Club');
  const [chosen, setChosen] = useState('month');
  const all = { value, onInput: setValue };
  return (
    <Specimen title="Fields">
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
    </Specimen>
  );
}

function Forms() {
  const [name, setName] = useState('Coffee Club');
  const refuse = async () => {
    throw new Error('The name is taken. Choose another one.');
  };
  return (
    <Specimen title="Forms">
      <ActionForm action="Save the name" run={async () => toast('It is saved.', 'good')}>
        <Field label="Name that is accepted" value={name} onInput={setName} />
      </ActionForm>
      <ActionForm action="Save it too" variant="plain" run={refuse} beside={<a href="#forms">All names</a>}>
        <Field label="Name that is refused" value={name} onInput={setName} />
      </ActionForm>
    </Specimen>
  );
}

function Dialogs() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Specimen title="Dialogs and toasts">
      <div class="row">
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
        <Button onClick={() => toast('A plain toast.')}>Plain toast</Button>
        <Button onClick={() => toast('It is saved.', 'good')}>Good toast</Button>
        <Button onClick={() => toast('It could not be saved.', 'bad')}>Bad toast</Button>
      </div>
      {isOpen && (
        <Dialog title="End the subscription?" onClose={() => setOpen(false)}>
          <p>It ends at once, and no further charge begins.</p>
          <div class="row">
            <Button variant="danger" onClick={() => setOpen(false)}>
              End it now
            </Button>
            <Button onClick={() => setOpen(false)}>Go back</Button>
          </div>
        </Dialog>
      )}
    </Specimen>
  );
}
