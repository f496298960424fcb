import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button.tsx';
import { Field, type FieldProblem, FieldProblems, type FieldProps, Select, type SelectProps } from './field.tsx';
import { fieldFaultIn, spoken } from './field-fault.ts';
import { Notice } from './notice.tsx';
import { useAction } from './use-action.ts';

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

export interface ActionFormProps {
  /** The button that acts. */
  readonly action: string;
  readonly variant?: ButtonProps['variant'];
  readonly class?: string;
  /** An error that it throws is shown, at its field if it names one, and the form stays as it is. */
  readonly run: () => Promise<unknown>;
  /** Comes after a run without an error. */
  readonly onDone?: () => void;
  /** Stands beside the button. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Fields before a request that changes something. */
export function ActionForm(props: ActionFormProps) {
  const { action, variant = 'primary', class: look = 'stack form', run, onDone, beside, children } = props;
  const { isBusy, problem, act } = useAction(action);
  const form = useRef<HTMLFormElement>(null);
  const [atField, setAtField] = useState<FieldProblem | null>(null);
  const [isAtField, setIsAtField] = useState(false);
  useLayoutEffect(() => {
    const found = fieldFaultIn(problem);
    const field = (found && form.current?.elements.namedItem(found.name)) ?? null;
    setIsAtField(field !== null);
    setAtField(found && field && { ...found, clear: () => setAtField(null) });
    const part = field instanceof HTMLFieldSetElement ? field.querySelector('input') : field;
    if (!(part instanceof HTMLElement)) return;
    part.focus();
    part.scrollIntoView({ block: 'center' });
  }, [problem]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await act(run)) onDone?.();
  };
  return (
    <form ref={form} class={look} onSubmit={(event) => void submit(event)}>
      <FieldProblems.Provider value={atField}>{children}</FieldProblems.Provider>
      {problem !== null && !isAtField && (
        <Notice tone="bad">
          <span class="lines">{spoken(problem)}</span>
        </Notice>
      )}
      <div class="row">
        <Button type="submit" variant={variant} busy={isBusy}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  );
}
