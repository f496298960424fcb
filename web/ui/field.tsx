import { type ComponentChildren, createElement, type JSX } from 'preact';
import { useId } from 'preact/hooks';

type InputType = 'text' | 'email' | 'tel' | 'password' | 'search' | 'date';

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: InputType;
  readonly hint?: ComponentChildren;
  /** The error of the value; null: none. */
  readonly error?: string | null;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
  readonly placeholder?: string;
}

/** A labelled line of text; screen readers read its error. */
export function Field(props: FieldProps) {
  const { label, value, onInput, type = 'text', hint, error = null, required = false } = props;
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input
        id={id}
        type={type}
        value={value}
        required={required}
        autocomplete={props.autocomplete ?? 'off'}
        inputMode={props.inputMode}
        placeholder={props.placeholder}
        // An address is typed from left to right on a page from right to left, too.
        dir="auto"
        aria-invalid={error !== null}
        aria-describedby={described === '' ? undefined : described}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint && (
        <span id={`${id}-hint`} class="small soft">
          {hint}
        </span>
      )}
      {error !== null && (
        <span id={`${id}-error`} class="field-error">
          {error}
        </span>
      )}
    </div>
  );
}

type Attributes = Omit<JSX.IntrinsicElements['input'], 'type' | 'role' | 'list'>;

/** In JSX, only a literal `type` fits one of the attributes' types, which are a union by it. */
function Input(props: Attributes & { readonly type: InputType }) {
  return createElement('input', props);
}
