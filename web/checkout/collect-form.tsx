import { say } from '../i18n/say.ts';
import type { Collected, CollectField } from '../pay/collect.ts';
import { Field } from '../ui/field.tsx';

export interface CollectFormProps {
  readonly fields: readonly CollectField[];
  readonly collected: Collected;
  readonly errors: Collected;
  readonly onChange: (collected: Collected) => void;
}

const AUTOCOMPLETE: { readonly [key: string]: string } = { email: 'email', phone: 'tel', name: 'name' };

/** The merchant's questions to the payer. */
export function CollectForm({ fields, collected, errors, onChange }: CollectFormProps) {
  return (
    <fieldset class="stack" data-part="collect">
      <legend>{say('collect.title')}</legend>
      {fields.map(({ key, label, type, required }) => (
        <Field
          key={key}
          label={required ? label : say('collect.optional', { label })}
          type={type}
          required={required}
          autocomplete={AUTOCOMPLETE[key] ?? 'off'}
          value={collected[key] ?? ''}
          error={errors[key] ?? null}
          onInput={(value) => onChange({ ...collected, [key]: value })}
        />
      ))}
    </fieldset>
  );
}
