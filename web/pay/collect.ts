import type { JsonObject } from '../../machines/json.ts';
import { type MessageKey, say } from '../i18n/say.ts';
import { countryOptions } from './countries.ts';

/** One question of a merchant to a payer. */
export interface CollectField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'tel';
  readonly autocomplete?: string;
  readonly rows?: number;
  readonly maxLength?: number;
  /** One of these; absent: any text. */
  readonly options?: ReturnType<typeof countryOptions>;
  readonly required: boolean;
}

export type Collected = { readonly [name: string]: string };

type Known = Omit<CollectField, 'name' | 'label' | 'required'> & { readonly key: MessageKey };

const KNOWN: { readonly [name: string]: Known } = {
  email: { key: 'collect.email', type: 'email', autocomplete: 'email' },
  phone: { key: 'collect.phone', type: 'tel', autocomplete: 'tel' },
  name: { key: 'collect.name', type: 'text', autocomplete: 'name' },
  address: { key: 'collect.address', type: 'text', autocomplete: 'street-address', rows: 3, maxLength: 500 },
  // A country that is typed in words is in no invoice.
  country: { key: 'collect.country', type: 'text', autocomplete: 'country' },
  taxId: { key: 'collect.tax_id', type: 'text', maxLength: 50 },
};

/**
 * The fields in an offer's free-form `collectFields` (docs/guides/checkout.md, "Configure the page"): keys with the
 * value true, `"required"`, `"optional"`, or a map with `label` and `required`. A field is required by default.
 */
export function collectFieldsOf(map: JsonObject): CollectField[] {
  return Object.entries(map).flatMap(([name, asked]) => {
    if (asked === false || asked === null || asked === 'none') return [];
    const given: { readonly [name: string]: unknown } = typeof asked === 'object' ? { ...asked } : {};
    const { key, ...known } = KNOWN[name] ?? { key: null, type: 'text' as const };
    const own = given['label'];
    const label = typeof own === 'string' ? own : key === null ? labelOf(name) : say(key);
    const required = asked !== 'optional' && given['required'] !== false;
    const options = name === 'country' ? { options: countryOptions() } : {};
    return [{ ...known, ...options, name, label: required ? label : say('collect.optional', { label }), required }];
  });
}

/** The errors by key; empty: none. */
export function collectErrors(fields: readonly CollectField[], collected: Collected): Collected {
  const wrong = fields.flatMap(({ name, label, type, required }) => {
    const value = (collected[name] ?? '').trim();
    if (value === '') return required ? [[name, say('collect.needed', { label })]] : [];
    return type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? [[name, say('collect.not_email')]] : [];
  });
  return Object.fromEntries(wrong);
}

/** The values without empty ones. */
export function collectedOf(fields: readonly CollectField[], collected: Collected): Collected {
  const given = fields.flatMap(({ name }) => {
    const value = (collected[name] ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}

/** "shirtSize" and "shirt_size" become "Shirt size". */
function labelOf(key: string): string {
  const words = key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
