import { type ComponentChildren, createContext, createElement, type Ref, type TextareaHTMLAttributes } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FieldFault, Wrong } from './field-fault.ts';

type InputType = 'text' | 'email' | 'tel' | 'password' | 'search' | 'date';

export interface FieldProps {
  readonly label: string;
  /** Its name in a request, by which the service reports an error. */
  readonly name?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: InputType;
  readonly hint?: ComponentChildren;
  /** The error of the value; null: none. */
  readonly error?: string | null;
  /** The fault of the text, as it is typed; null: none. */
  readonly check?: (text: string) => Wrong | null;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** The height of a longer text, lines; absent: it is a single line. */
  readonly rows?: number;
}

/** A labelled text; screen readers read its error. */
export function Field(props: FieldProps) {
  const { label, name, value, onInput, type = 'text', hint, check, required = false } = props;
  const id = useId();
  const input = useRef<TextInput>(null);
  const [isLeft, setLeft] = useState(false);
  const problem = useFieldProblem(name);
  const wrong = check?.(value) ?? null;
  const shown = wrong !== null && (isLeft || !wrong.isPartial) ? wrong.text : null;
  const error = props.error ?? problem?.text ?? shown;
  // The browser sends no form with a wrong field, and goes there.
  useLayoutEffect(() => input.current?.setCustomValidity(wrong?.text ?? ''), [wrong?.text]);
  return (
    <Labelled {...{ id, label, hint, error }}>
      <Input
        {...describing(id, hint, error)}
        inputRef={input}
        name={name}
        type={type}
        value={value}
        required={required}
        autocomplete={props.autocomplete ?? 'off'}
        inputMode={props.inputMode}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        rows={props.rows}
        // An address is typed from left to right on a page from right to left, too.
        dir="auto"
        onInput={(event) => {
          problem?.clear();
          onInput(event.currentTarget.value);
        }}
        onBlur={() => setLeft(true)}
      />
    </Labelled>
  );
}

interface LabelledProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly id: string;
  /** null: none. */
  readonly error: string | null;
  readonly children: ComponentChildren;
}

/** A control with its label, its hint and its error. */
function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <span id={`${id}-hint`} class="small soft">
          {hint}
        </span>
      )}
      {error !== null && (
        <span id={`${id}-error`} class="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

/** With these, screen readers read the hint and the error of a control. */
function describing(id: string, hint: FieldProps['hint'], error: string | null) {
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return { id, 'aria-invalid': error !== null, 'aria-describedby': described === '' ? undefined : described };
}

type TextInput = HTMLInputElement | HTMLTextAreaElement;

interface InputProps extends Omit<TextareaHTMLAttributes<TextInput>, 'ref' | 'rows'> {
  readonly inputRef: Ref<TextInput>;
  readonly type: InputType;
  readonly rows: number | undefined;
}

/** With it, browsers take years of four digits only. Longer ones are no date for JavaScript. */
const LAST_DAY = '9999-12-31';

/** In JSX, no attributes fit both elements. */
function Input({ inputRef: ref, type, rows, ...props }: InputProps) {
  const own = rows === undefined ? { type, ...(type === 'date' && { max: LAST_DAY }) } : { rows };
  return createElement(rows === undefined ? 'input' : 'textarea', { ...props, ref, ...own });
}

/** What the service has reported about one field of the form around it. */
export interface FieldProblem extends FieldFault {
  /** The field has another text now. */
  readonly clear: () => void;
}

export const FieldProblems = createContext<FieldProblem | null>(null);

/** null: nothing about this field. */
function useFieldProblem(name: string | undefined): FieldProblem | null {
  const problem = useContext(FieldProblems);
  return problem !== null && problem.name === name ? problem : null;
}

/** What the service has reported about a part of the form that is no line of text. */
export function FieldError({ name }: { readonly name: string }) {
  const problem = useFieldProblem(name);
  return (
    problem && (
      <span class="field-error" role="alert">
        {problem.text}
      </span>
    )
  );
}

export interface SelectProps {
  readonly label: string;
  /** As of a `Field`. */
  readonly name?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The error of the choice; null: none. */
  readonly error?: string | null;
}

/** A labelled choice of one. */
export function Select({ label, name, value, onChange, options, ...props }: SelectProps) {
  const id = useId();
  const problem = useFieldProblem(name);
  const error = props.error ?? problem?.text ?? null;
  return (
    <Labelled {...{ id, label, error }}>
      <select
        {...{ ...describing(id, undefined, error), name, value }}
        onChange={(event) => {
          problem?.clear();
          onChange(event.currentTarget.value);
        }}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export interface FileFieldProps {
  readonly label: string;
  /** Media types, separated by commas. */
  readonly accept: string;
  readonly hint: string;
  /** Why the last choice is not taken; null: it is, or there was none. */
  readonly error: string | null;
  readonly onFile: (file: File) => void;
}

/** A labelled chooser of one file; screen readers read its error. */
export function FileField({ label, accept, hint, error, onFile }: FileFieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error }}>
      <input
        {...describing(id, hint, error)}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // So that the same file can be chosen again after it was fixed.
          currentTarget.value = '';
        }}
      />
    </Labelled>
  );
}
