import { useState } from 'preact/hooks';
import { ActionDialog } from '../../../web/ui/action-dialog.tsx';
import { Button, type ButtonProps } from '../../../web/ui/button.tsx';
import { Clipped } from '../../../web/ui/clipped.tsx';
import { Copyable, CopyButton } from '../../../web/ui/copy-button.tsx';
import { Dialog } from '../../../web/ui/dialog.tsx';
import {
  Field,
  FieldError,
  FieldProblems,
  type FieldProps,
  FileField,
  type FileFieldProps,
  Select,
  type SelectProps,
} from '../../../web/ui/field.tsx';
import { ActionForm, type ActionFormProps, Fields, useValues } from '../../../web/ui/form.tsx';
import { toast } from '../../../web/ui/notice.tsx';
import { SearchForm } from '../../../web/ui/search-form.tsx';
import { LONG, type Specimens } from './specimen.tsx';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const VARIANTS = ['primary', 'plain', 'quiet', 'danger'] as const satisfies readonly ButtonProps['variant'][];

function Buttons({ text, ...props }: Omit<ButtonProps, 'children' | 'variant'> & { readonly text: string }) {
  return (
    <div class="row">
      {VARIANTS.map((variant) => (
        <Button key={variant} variant={variant} {...props}>{`${text}, ${variant}`}</Button>
      ))}
    </div>
  );
}

const TYPES = ['text', 'email', 'tel', 'password', 'search', 'date'] as const satisfies readonly FieldProps['type'][];

function TypedField(props: Partial<FieldProps>) {
  const [value, setValue] = useState(props.value ?? '');
  return <Field label="Name of the offer" {...props} value={value} onInput={setValue} />;
}

const FIELDS = [
  { name: 'name', label: 'Name', required: true },
  { name: 'note', label: 'Longer text', rows: 3 },
] as const;

function TypedFields({ text, errors = {} }: { readonly text: string; readonly errors?: { readonly note?: string } }) {
  const { values, onChange } = useValues({ name: text, note: text });
  return <Fields fields={FIELDS} values={values} onChange={onChange} errors={errors} />;
}

function Chosen({ options, error = null }: Pick<SelectProps, 'options' | 'error'>) {
  const [value, setValue] = useState(options[0]?.[0] ?? '');
  return <Select label="Interval" value={value} onChange={setValue} options={options} error={error} />;
}

function Chooser({ error = null, hint = 'A PNG of at most 64 KB.' }: Partial<FileFieldProps>) {
  return <FileField label="Logo" accept="image/png" hint={hint} error={error} onFile={() => {}} />;
}

interface Tried extends Pick<ActionFormProps, 'action' | 'run'> {
  readonly text?: string;
}

function Form({ text = 'Coffee Club', ...tried }: Tried) {
  return (
    <ActionForm {...tried} beside={<a href="#ActionForm">All offers</a>}>
      <TypedField value={text} />
    </ActionForm>
  );
}

const done = async () => toast('It is saved.', 'good');
const refuse = async () => {
  throw new Error('The name is taken. Choose another one.');
};
/** Nobody answers. */
const wait = () => new Promise<never>(() => {});

/** A button that opens a dialog; with `run` it is a question. */
function Opened({ action, run, text = 'It ends at once, and no further charge begins.' }: Partial<Tried>) {
  const [isOpen, setOpen] = useState(false);
  const dialog = { title: text.length > 200 ? LONG : 'End the subscription?', onClose: () => setOpen(false) };
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{action}</Button>
      {isOpen && run === undefined && <Dialog {...dialog}>{text}</Dialog>}
      {isOpen && run !== undefined && (
        <ActionDialog {...dialog} action="End it now" isDanger run={run}>
          <p>{text}</p>
        </ActionDialog>
      )}
    </div>
  );
}

/** What people press, type and choose. */
export const CONTROLS: Specimens = {
  Button: {
    usual: (
      <>
        <Buttons text="Save" />
        <Buttons text="Save" size="small" />
        <Buttons text="Save" disabled />
        <a class="button" href="#Button">
          A link as a button
        </a>
      </>
    ),
    long: <Buttons text={LONG} />,
    loading: <Buttons text="Save" busy />,
  },
  CopyButton: { long: <CopyButton what={LONG} text={LONG} /> },
  Copyable: {
    usual: <Copyable what="address" text={ADDRESS} isShort href="#Copyable" />,
    long: <Copyable what="link" text={`https://pay.example.com/checkout?for=${ADDRESS.repeat(3)}`} />,
  },
  Field: {
    usual: <TypedField value="Coffee Club" hint="As payers read it." />,
    long: <TypedField label={LONG} value={LONG} hint={LONG} error={LONG} />,
    empty: TYPES.map((type) => <TypedField key={type} label={`Of the type ${type}`} type={type} placeholder="Empty" />),
    failed: <TypedField hint="Up to 200 characters." error="It must not be empty." required />,
  },
  FieldError: {
    long: (
      <FieldProblems.Provider value={{ name: 'tokens', text: LONG, clear: () => {} }}>
        <FieldError name="tokens" />
      </FieldProblems.Provider>
    ),
  },
  SearchForm: {
    long: <SearchForm label="Search" placeholder={LONG} sought={LONG} onSearch={(q) => toast(q)} />,
  },
  Clipped: { long: <Clipped text={LONG} href="#Clipped" /> },
  Fields: {
    usual: <TypedFields text="Coffee Club" />,
    long: <TypedFields text={LONG} />,
    empty: <TypedFields text="" />,
    failed: <TypedFields text="" errors={{ note: 'It must not be empty.' }} />,
  },
  Select: {
    usual: <Chosen options={['week', 'month'].map((each) => [each, `every ${each}`])} />,
    long: <Chosen options={[['long', LONG]]} />,
    empty: <Chosen options={[]} />,
    failed: <Chosen options={[['', '–']]} error="Interval is needed." />,
  },
  FileField: {
    usual: <Chooser />,
    long: <Chooser hint={LONG} error={LONG} />,
    failed: <Chooser error="tea.svg is no PNG." />,
  },
  ActionForm: {
    usual: <Form action="Save the name" run={done} />,
    long: <Form action={LONG} run={done} text={LONG} />,
    empty: <Form action="Save nothing" run={done} text="" />,
    loading: <Form action="Save without an answer" run={wait} />,
    failed: <Form action="Save what is refused" run={refuse} />,
  },
  Dialog: {
    usual: <Opened action="Open a plain dialog" />,
    long: <Opened action="Open a long dialog" text={LONG.repeat(20)} />,
  },
  ActionDialog: {
    usual: <Opened action="Open a dialog" run={done} />,
    long: <Opened action="Open a long question" run={done} text={LONG.repeat(20)} />,
    loading: <Opened action="Open one without an answer" run={wait} />,
    failed: <Opened action="Open one that is refused" run={refuse} />,
  },
  Toasts: {
    usual: <Button onClick={() => toast('It is saved.', 'good')}>Good toast</Button>,
    long: <Button onClick={() => toast(LONG)}>Long toast</Button>,
    failed: <Button onClick={() => toast('It could not be saved.', 'bad')}>Bad toast</Button>,
  },
};
