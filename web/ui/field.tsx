import { type ComponentChildren, createElement, type Ref, type TextareaHTMLAttributes } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Wrong } from './field-fault.ts';
import { useFieldProblem } from './field-problem.ts';

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
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input
        inputRef={input}
        id={id}
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
        aria-invalid={error !== null}
        aria-describedby={described === '' ? undefined : described}
        onInput={(event) => {
          problem?.clear();
          onInput(event.currentTarget.value);
        }}
        onBlur={() => setLeft(true)}
      />
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

type TextInput = HTMLInputElement | HTMLTextAreaElement;

interface InputProps extends Omit<TextareaHTMLAttributes<TextInput>, 'ref' | 'rows'> {
  readonly inputRef: Ref<TextInput>;
  readonly type: InputType;
  readonly rows: number | undefined;
}

/** In JSX, no attributes fit both elements. */
function Input({ inputRef: ref, type, rows, ...props }: InputProps) {
  const own = rows === undefined ? { type } : { rows };
  return createElement(rows === undefined ? 'input' : 'textarea', { ...props, ref, ...own });
}
