import { useId } from 'preact/hooks';
import { FieldError } from './field-error.tsx';

export interface SelectProps {
  readonly label: string;
  /** As of a `Field`. */
  readonly name?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A labelled choice of one. */
export function Select({ label, name, value, onChange, options }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {name !== undefined && <FieldError name={name} />}
    </div>
  );
}
