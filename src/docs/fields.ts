import { nameOf, type Schema } from './document.ts';
import { type Html, html, joined } from './html.ts';
import { markdown } from './markdown.ts';

/** One row of a list of fields or parameters. */
export interface Field {
  /** With the way to it: `pricing[].amount`. */
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string;
  /** Shown beside the type: `required`. */
  readonly marks: readonly string[];
}

const FORBIDDEN: Schema = { required: [], not: {} };

/** All fields of an object, also those of objects within that have no name of their own. */
export function fieldsOf(schema: Schema, path = '', marks: readonly string[] = []): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, given]) => {
    const inner = given === false ? FORBIDDEN : given;
    const name = path === '' ? key : `${path}.${key}`;
    const required = schema.required.includes(key) ? ['required'] : [];
    return [{ name, schema: inner, marks: [...required, ...marks] }, ...fieldsOf(inner, name)];
  });
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[]`);
  const forms = (schema.anyOf ?? []).map((form, index) => fieldsOf(form, path, [`form ${index + 1}`]));
  return [...own, ...items, ...forms.flat()];
}

export function fieldList(fields: readonly Field[]): Html {
  return html`<dl class="fields">${fields.map(fieldRow)}</dl>`;
}

function fieldRow({ name, schema, description, marks }: Field): Html {
  const text = description ?? schema.description;
  return html`<div><dt><code>${name}</code> <span class="soft small">${typeOf(schema)}</span> ${marks.map(
    (mark) => html`<span class="badge">${mark}</span> `,
  )}</dt><dd>${text === undefined ? null : markdown(text)}${limitsOf(schema)}</dd></div>`;
}

/** `string or null`, `list of Split`; a schema with a name links to it. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.not !== undefined) return html`not accepted`;
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), ' or ');
  const types = [schema.type ?? 'any JSON'].flat();
  return joined(
    types.map((type) => oneType(type, schema)),
    ' or ',
  );
}

function oneType(type: string, { items, additionalProperties }: Schema): Html {
  if (type === 'array' && items !== undefined) return html`list of ${typeOf(items)}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return html`map of ${typeOf(additionalProperties)}`;
  return html`${type}`;
}

/** What a value has to fulfil beyond its type. */
function limitsOf(schema: Schema): Html | null {
  const limits = [
    ...(schema.const === undefined ? [] : [html`always ${value(schema.const)}`]),
    ...(schema.enum === undefined ? [] : [html`one of ${joined(schema.enum.map(value), ', ')}`]),
    ...(schema.default === undefined ? [] : [html`default ${value(schema.default)}`]),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...range(schema.minimum, schema.maximum, ''),
    ...(schema.exclusiveMinimum === undefined ? [] : [html`more than ${schema.exclusiveMinimum}`]),
    ...(schema.format === undefined ? [] : [html`${schema.format}`]),
    ...(schema.pattern === undefined ? [] : [html`pattern <code>${schema.pattern}</code>`]),
  ];
  return limits.length === 0 ? null : html`<p class="soft small">${joined(limits, '; ')}</p>`;
}

function value(one: unknown): Html {
  return html`<code>${JSON.stringify(one)}</code>`;
}

function range(least: number | undefined, most: number | undefined, unit: string): Html[] {
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [html`at least ${least ?? 0} ${unit}`];
  return [least === undefined ? html`at most ${most} ${unit}` : html`${least} to ${most} ${unit}`];
}
