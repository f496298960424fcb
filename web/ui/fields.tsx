import { useState } from 'preact/hooks';
import { Field, type FieldProps } from './field.tsx';
import { Select, type SelectProps } from './select.tsx';

/** The texts of a form, by the names of its fields. */
export type Values<V> = { readonly [N in keyof V]: string };

export interface FormField<Name extends string = string>
  extends Omit<FieldProps, 'value' | 'onInput' | 'error' | 'name'> {
  readonly name: Name;
  /** One of these; absent: any text. */
  readonly options?: SelectProps['options'];
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
  /** By the names of the fields. */
  readonly errors?: { readonly [N in keyof V]?: string };
}

/** The fields of a form, one below the other. */
export function Fields<V extends Values<V>>({ fields, values, onChange, errors = {} }: FieldsProps<V>) {
  return (
    <>
      {fields.map(({ isShown = () => true, options, ...field }) => {
        const { name, label } = field;
        const value = values[name];
        const change = (text: string) => onChange(name, text);
        const error = errors[name] ?? null;
        if (!isShown(values)) return null;
        return options === undefined ? (
          <Field key={name} {...{ ...field, value, error }} onInput={change} />
        ) : (
          <Select key={name} {...{ name, label, value, options, error }} onChange={change} />
        );
      })}
    </>
  );
}
