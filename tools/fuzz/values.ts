import fc from 'fast-check';
import type { ApiDocument, Keywords, Schema } from './document.ts';
import { hasMeaningIn, meaningOf } from './meanings.ts';
import { exactly, weighted } from './tokens.ts';

/** Below this depth a recursive schema gives a text. */
const DEPTH_MAX = 4;
const ITEMS_MAX = 3;
const KEYS = ['plan', 'seats', 'x-y', 'a.b', '$set', '_id', '_bsontype', 'toJSON', '0', 'ключ', '👾', ' '] as const;
const NUMBERS = ['0', '-0', '1.5', '-3', '1e21', '9007199254740993', '5e-324'] as const;

/** Odds for and against a field. */
export const ALWAYS = [1, 0] as const;

type Values = fc.Arbitrary<unknown>;

const anything: Values = fc.jsonValue({ maxDepth: 2 });

/** A position of a request: what the document says about it. */
interface Position {
  readonly operationId: string;
  /** The items of `offerIds` have the name `offerId`. */
  readonly field: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** Mostly those of the example, as many rules are in no schema; fields with a meaning have such values. */
export function valuesOf(document: ApiDocument, { schema: given, ...position }: Position, depth = 0): Values {
  const { operationId, field, example } = position;
  const schema = document.resolved(given);
  if (typeof schema === 'boolean') return anything;
  const inside = (other: Schema, name: string, sample: unknown) =>
    valuesOf(document, { operationId, field: name, schema: other, example: sample }, depth + 1);

  function drawn({ enum: constants, anyOf, ...rest }: Keywords): Values {
    if (constants !== undefined) return fc.constantFrom(...constants);
    if (anyOf !== undefined) {
      if (depth >= DEPTH_MAX) return fc.constant('deep');
      return fc.oneof(...anyOf.map((each) => inside(each, field, example)));
    }
    const types = typesIn(rest).filter((type) => type !== 'null');
    return types.length === 0 ? anything : fc.oneof(...types.map((type) => ofType(rest, type)));
  }

  function ofType(keywords: Keywords, type: string): Values {
    const { minimum: min = -1_000, maximum: max = 1_000, minItems: minLength = 0, items = true } = keywords;
    switch (type) {
      case 'string':
        return textsOf(keywords);
      case 'integer':
        return fc.oneof(fc.integer({ min, max: Math.min(max, min + 5) }), fc.constant(max));
      case 'number':
        return fc.constantFrom(...NUMBERS).map(exactly);
      case 'boolean':
        return fc.boolean();
      case 'array': {
        if (depth >= DEPTH_MAX && minLength === 0) return fc.constant([]);
        const item = inside(items, field.replace(/s$/, ''), Array.isArray(example) ? example[0] : undefined);
        const maxLength = Math.max(minLength, ITEMS_MAX);
        return fc.uniqueArray(item, { minLength, maxLength, selector: (each) => JSON.stringify(each) });
      }
      case 'object':
        return keywords.properties === undefined ? mapsOf(keywords) : fieldsOf(keywords);
      default:
        throw new Error(`the document has a schema of the unknown type ${type}, at ${field}`);
    }
  }

  function fieldsOf({ properties = {}, required = [] }: Keywords): Values {
    const samples = new Map(Object.entries(example ?? {}));
    const fields = Object.entries(properties).filter(([, each]) => each !== false);
    const isUsual = (name: string) => samples.has(name) || hasMeaningIn(operationId, name);
    // About one other field, because many of them do not go together.
    const others = Math.max(2, fields.filter(([name]) => !required.includes(name) && !isUsual(name)).length);
    return objectsOf(
      fields.map(([name, each]) => {
        const odds = required.includes(name) ? ALWAYS : isUsual(name) ? ([8, 1] as const) : ([1, others - 1] as const);
        return [name, inside(each, name, samples.get(name)), odds];
      }),
    );
  }

  function mapsOf({ additionalProperties = true }: Keywords): Values {
    if (depth >= DEPTH_MAX) return fc.constant({});
    const options = { maxKeys: ITEMS_MAX, noNullPrototype: true };
    return fc.dictionary(fc.constantFrom(...KEYS), inside(additionalProperties, '', undefined), options);
  }

  const own = meaningOf(operationId, field);
  const isSample = example !== undefined && typeof example !== 'object';
  const sampled = isSample ? weighted([3, fc.constant(example)], [1, drawn(schema)]) : drawn(schema);
  const some = own ?? sampled;
  return isNullable(schema) ? fc.option(some, { freq: 9 }) : some;
}

/** Objects whose fields are there with these odds, for and against. */
export function objectsOf(
  fields: readonly (readonly [name: string, values: Values, odds: readonly [number, number]])[],
) {
  const entries = fields.map(([name, values, [there, absent]]) => {
    const entry = fc.tuple(fc.constant(name), values);
    if (absent === 0) return entry;
    return weighted([absent, fc.constant(null)], [there, entry]);
  });
  return fc.tuple(...entries).map((found) => Object.fromEntries(found.filter((entry) => entry !== null)));
}

function textsOf({ pattern, minLength = 0, maxLength = 100 }: Keywords): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return weighted(
    [4, fc.string({ minLength, maxLength: Math.min(maxLength, 20) })],
    [2, fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 8) })],
    [1, fc.constant('m'.repeat(maxLength))],
  );
}

function isNullable(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  return typesIn(schema).includes('null') || (schema.anyOf ?? []).some(isNullable);
}

function typesIn({ type = [] }: Keywords): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}
