import { useId, useState } from 'preact/hooks';
import { Field, type FieldProps } from './field.tsx';
import { FieldError } from './field-error.tsx';
import { Select, type SelectProps } from './select.tsx';

/** The texts of a form, by the names of its fields. */
export type Values<V> = { readonly [N in keyof V]: string };

export interface FormField<Name extends string = string>
  extends Omit<FieldProps, 'value' | 'onInput' | 'error' | 'name'> {
  readonly name: Name;
  /** One of these; absent: any text. */
  readonly options?: SelectProps['options'];
  /** The height of a longer text, lines. */
  readonly rows?: number;
  readonly maxLength?: number;
  /** It is marked if it is empty when the form is tried. */
  readonly isNeeded?: boolean;
  /** Absent: it is always shown. */
  readonly isShown?: (values: { readonly [N in Name]?: string }) => boolean;
}

/** The texts as they are typed, and the change of one of them. */
export function useValues<V extends Values<V>>(first: V) {
  const [values, setValues] = useState(first);
  const onChange = (name: keyof V & string, text: string) => setValues((before) => ({ ...before, [name]: text }));
  return { values, onChange };
}

export interface FieldsProps<V extends Values<V>> {
  readonly fields: readonly FormField<keyof V & string>[];
  readonly values: V;
  readonly onChange: (name: keyof V & string, text: string) => void;
  /** The name of a field that is marked as wrong. */
  readonly wrong?: (keyof V & string) | null;
}

/** The fields of a form, one below the other. */
export function Fields<V extends Values<V>>({ fields, values, onChange, wrong = null }: FieldsProps<V>) {
  return (
    <>
      {fields.map(
        ({ isShown = () => true, ...field }) =>
          isShown(values) && (
            <FieldOf
              key={field.name}
              field={field}
              value={values[field.name]}
              onInput={(text) => onChange(field.name, text)}
              isWrong={field.name === wrong}
            />
          ),
      )}
    </>
  );
}

interface FieldOfProps {
  readonly field: Omit<FormField, 'isShown'>;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly isWrong: boolean;
}

function FieldOf({ field, value, onInput, isWrong }: FieldOfProps) {
  const id = useId();
  const { options, rows, maxLength, isNeeded: _, ...line } = field;
  if (options !== undefined)
    return <Select label={field.label} name={field.name} value={value} onChange={onInput} options={options} />;
  if (rows === undefined) return <Field {...line} value={value} onInput={onInput} />;
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <textarea
        id={id}
        name={field.name}
        rows={rows}
        maxLength={maxLength}
        value={value}
        aria-invalid={isWrong}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <FieldError name={field.name} />
    </div>
  );
}
