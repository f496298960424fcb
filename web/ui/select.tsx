import { useId } from 'preact/hooks';
import { FieldError } from './field-error.tsx';

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
export function Select({ label, name, value, onChange, options, error = null }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        {...{ id, name, value }}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {error !== null && (
        <span id={`${id}-error`} class="field-error" role="alert">
          {error}
        </span>
      )}
      {name !== undefined && <FieldError name={name} />}
    </div>
  );
}
