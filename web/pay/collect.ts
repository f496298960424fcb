import type { JsonObject } from '../../machines/json.ts';
import { type MessageKey, say } from '../i18n/say.ts';

/** One question of a merchant to a payer. */
export interface CollectField {
  readonly key: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'tel';
  readonly required: boolean;
}

export type Collected = { readonly [key: string]: string };

const KNOWN: { readonly [key: string]: Pick<CollectField, 'type'> & { readonly name: MessageKey } } = {
  email: { name: 'collect.email', type: 'email' },
  phone: { name: 'collect.phone', type: 'tel' },
  name: { name: 'collect.name', type: 'text' },
};

/**
 * The fields in an offer's free-form `collectFields` (docs/guides/checkout.md, "Configure the page"): keys with the
 * value true, `"required"`, `"optional"`, or a map with `label` and `required`. A field is required by default.
 */
export function collectFieldsOf(map: JsonObject): CollectField[] {
  return Object.entries(map).flatMap(([key, asked]) => {
    if (asked === false || asked === null || asked === 'none') return [];
    const given: { readonly [name: string]: unknown } = typeof asked === 'object' ? { ...asked } : {};
    const known = KNOWN[key];
    const label = known === undefined ? labelOf(key) : say(known.name);
    const own = given['label'];
    const required = asked !== 'optional' && given['required'] !== false;
    return [{ key, label: typeof own === 'string' ? own : label, type: known?.type ?? 'text', required }];
  });
}

/** The errors by key; empty: none. */
export function collectErrors(fields: readonly CollectField[], collected: Collected): Collected {
  const wrong = fields.flatMap(({ key, label, type, required }) => {
    const value = (collected[key] ?? '').trim();
    if (value === '') return required ? [[key, say('collect.needed', { label })]] : [];
    return type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? [[key, say('collect.not_email')]] : [];
  });
  return Object.fromEntries(wrong);
}

/** The values without empty ones. */
export function collectedOf(fields: readonly CollectField[], collected: Collected): Collected {
  const given = fields.flatMap(({ key }) => {
    const value = (collected[key] ?? '').trim();
    return value === '' ? [] : [[key, value]];
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
