import { nameOf, type Schema } from './document.ts';

/** One row of a list of fields or parameters. */
export interface Field {
  /** With the way to it: `pricing[].amount`. */
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string;
  /** Shown beside the type: `required`. */
  readonly marks: readonly string[];
}

/** The address of a schema with a name, as seen from a page. */
export type LinkToSchema = (name: string) => string;

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

/** Markdown: an item for each field. */
export function fieldList(fields: readonly Field[], linkTo: LinkToSchema): string {
  return fields.map((field) => fieldRow(field, linkTo)).join('\n');
}

function fieldRow({ name, schema, description, marks }: Field, linkTo: LinkToSchema): string {
  const head = [`\`${name}\` ${typeOf(schema, linkTo)}`, ...marks].join(', ');
  const about = [description ?? schema.description ?? '', limitsOf(schema)].filter((text) => text !== '').join(' ');
  return `- ${head}${about === '' ? '' : `  \n  ${oneLine(about)}`}`;
}

/** Markdown in a list or a table has to be one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** `string or null`, `list of Split`; a schema with a name links to it. */
export function typeOf(schema: Schema, linkTo: LinkToSchema): string {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](${linkTo(nameOf(schema.$ref))})`;
  if (schema.not !== undefined) return 'not accepted';
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, linkTo)).join(' or ');
  const types = [schema.type ?? 'any JSON'].flat();
  return types.map((type) => oneType(type, schema, linkTo)).join(' or ');
}

function oneType(type: string, { items, additionalProperties }: Schema, linkTo: LinkToSchema): string {
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items, linkTo)}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map of ${typeOf(additionalProperties, linkTo)}`;
  return type;
}

/** What a value has to fulfil beyond its type. */
function limitsOf(schema: Schema): string {
  const limits = [
    ...(schema.const === undefined ? [] : [`always ${value(schema.const)}`]),
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map(value).join(', ')}`]),
    ...(schema.default === undefined ? [] : [`default ${value(schema.default)}`]),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...range(schema.minimum, schema.maximum, ''),
    ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${schema.exclusiveMinimum}`]),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...(schema.pattern === undefined ? [] : [`pattern \`${schema.pattern}\``]),
  ];
  return limits.length === 0 ? '' : `_${limits.join('; ')}_`;
}

function value(one: unknown): string {
  return `\`${JSON.stringify(one)}\``;
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`at least ${least ?? 0}${unit}`];
  return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`];
}
