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
      <legend>About you</legend>
      {fields.map(({ key, label, type, required }) => (
        <Field
          key={key}
          label={required ? label : `${label} (optional)`}
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
