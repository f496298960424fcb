import fc from 'fast-check';
import { isNeeded, meaningOf } from './dictionary.ts';
import type { ApiDocument, Schema } from './document.ts';
import { type Entry, listNode, type MapNode, mapNode, type Node, rawNode, textNode, valueAt } from './node.ts';

/** Below this depth a recursive schema gives a text. */
const DEPTH_MAX = 4;
const ITEMS_MAX = 3;
const KEYS = ['plan', 'seats', 'x-y', 'a.b', '$set', '_id', '_bsontype', 'toJSON', '0', 'ключ', '👾', ' '] as const;

/** The position of a value, for the dictionary. */
interface Position {
  readonly operationId: string;
  readonly field: string;
  readonly depth: number;
}

/** Values that a schema of the document allows; the dictionary supplies meaningful values of known fields. */
export function valuesOf(document: ApiDocument, schema: Schema, operationId: string, field = ''): fc.Arbitrary<Node> {
  return valueAtPosition(document, schema, { operationId, field, depth: 0 });
}

function valueAtPosition(document: ApiDocument, given: Schema, position: Position): fc.Arbitrary<Node> {
  const schema = document.resolved(given);
  const meaning = meaningOf(position.operationId, position.field);
  if (typeof schema === 'boolean' || Object.keys(schema).length === 0) return meaning ?? anything;
  if (meaning !== null) return isNullable(schema) ? orNull(meaning) : meaning;
  if (Array.isArray(schema['enum']))
    return fc
      .constantFrom(...schema['enum'])
      .map((value) => (typeof value === 'string' ? textNode(value) : rawNode(JSON.stringify(value))));
  if (Array.isArray(schema['anyOf'])) return oneOfMany(document, schema['anyOf'], position);
  const types = typesIn(schema);
  const kinds = types.filter((type) => type !== 'null').map((type) => ofType(document, schema, type, position));
  const some = kinds.length === 1 ? (kinds[0] ?? anything) : kinds.length === 0 ? anything : fc.oneof(...kinds);
  return types.includes('null') ? orNull(some) : some;
}

function oneOfMany(document: ApiDocument, among: readonly unknown[], position: Position): fc.Arbitrary<Node> {
  if (position.depth >= DEPTH_MAX) return fc.constant(textNode('deep'));
  return fc.oneof(
    ...among.filter(isSchema).map((each) => valueAtPosition(document, each, deeper(position, position.field))),
  );
}

function ofType(
  document: ApiDocument,
  schema: { readonly [keyword: string]: unknown },
  type: string,
  position: Position,
): fc.Arbitrary<Node> {
  switch (type) {
    case 'string':
      return textsOf(schema).map(textNode);
    case 'integer':
      return integersOf(schema).map((value) => rawNode(String(value)));
    case 'number':
      return fc.constantFrom('0', '-0', '1.5', '-3', '1e21', '9007199254740993', '5e-324').map(rawNode);
    case 'boolean':
      return fc.boolean().map((value) => rawNode(String(value)));
    case 'null':
      return fc.constant(rawNode('null'));
    case 'array':
      return itemsOf(document, schema, position);
    case 'object':
      return entriesOf(document, schema, position);
    default:
      throw new Error(`the document has a schema of the unknown type ${type}, at ${position.field}`);
  }
}

function textsOf(schema: { readonly [keyword: string]: unknown }): fc.Arbitrary<string> {
  const { pattern } = schema;
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const min = numberOr(schema['minLength'], 0);
  const max = numberOr(schema['maxLength'], 100);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: min, maxLength: Math.min(max, 20) }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: min, maxLength: Math.min(max, 8) }) },
    { weight: 1, arbitrary: fc.constant('m'.repeat(max)) },
  );
}

function integersOf(schema: { readonly [keyword: string]: unknown }): fc.Arbitrary<number> {
  const min = numberOr(schema['minimum'], -1_000);
  const max = numberOr(schema['maximum'], 1_000);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min, max: Math.min(max, min + 5) }) },
    { weight: 1, arbitrary: fc.constant(max) },
  );
}

function itemsOf(
  document: ApiDocument,
  schema: { readonly [keyword: string]: unknown },
  position: Position,
): fc.Arbitrary<Node> {
  const items = isSchema(schema['items']) ? schema['items'] : true;
  const minLength = numberOr(schema['minItems'], 0);
  if (position.depth >= DEPTH_MAX && minLength === 0) return fc.constant(listNode([]));
  const item = valueAtPosition(document, items, deeper(position, singular(position.field)));
  return fc.array(item, { minLength, maxLength: Math.max(minLength, ITEMS_MAX), size: 'max' }).map(listNode);
}

/** The items of `ids` mean the same as `ids`; the items of other lists have no name. */
function singular(field: string): string {
  return field === 'ids' ? field : '';
}

function entriesOf(
  document: ApiDocument,
  schema: { readonly [keyword: string]: unknown },
  position: Position,
): fc.Arbitrary<Node> {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return mapsOf(document, schema, position);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties)
    .filter((field): field is [string, Schema] => isSchema(field[1]) && field[1] !== false)
    .map(([name, each]) => {
      const value = valueAtPosition(document, each, deeper(position, name)).map((node): Entry => [name, node]);
      if (required.includes(name)) return value;
      return fc.option(value, { freq: isNeeded(position.operationId, name) && position.depth === 0 ? 20 : 2 });
    });
  return fc.tuple(...fields).map((entries) => coherent(mapNode(entries.filter((entry) => entry !== null))));
}

function mapsOf(
  document: ApiDocument,
  { additionalProperties }: { readonly [keyword: string]: unknown },
  position: Position,
): fc.Arbitrary<Node> {
  if (position.depth >= DEPTH_MAX) return fc.constant(mapNode([]));
  const value = valueAtPosition(
    document,
    isSchema(additionalProperties) ? additionalProperties : true,
    deeper(position, ''),
  );
  const entry = fc.tuple(fc.constantFrom(...KEYS), value);
  return fc.uniqueArray(entry, { maxLength: ITEMS_MAX, selector: ([key]) => key }).map(mapNode);
}

/**
 * Keeps fields together that depend on each other. The schema does not say it, and a request that breaks the pair is
 * refused early.
 */
function coherent(map: MapNode): MapNode {
  const dropped = new Set<string>();
  const has = (key: string) => valueAt(map, key) !== undefined && !isNull(valueAt(map, key));
  if (has('affiliatePartnerId') !== has('affiliateCommissionPct')) {
    dropped.add('affiliatePartnerId').add('affiliateCommissionPct');
  }
  const billing = valueAt(map, 'billing');
  const type = billing?.kind === 'map' ? valueAt(billing, 'type') : undefined;
  if (type?.kind === 'text' && type.value === 'one_time')
    dropped.add('trialDays').add('maxCycles').add('maxFailedCycles');
  const [kept, ...more] = ['status', 'to', 'days'].filter(
    (key) => valueAt(map, 'subscriptionId') !== undefined && has(key),
  );
  if (kept !== undefined) for (const key of more) dropped.add(key);
  return mapNode(map.entries.filter(([key]) => !dropped.has(key)));
}

function isNull(node: Node | undefined): boolean {
  return node?.kind === 'raw' && node.text === 'null';
}

function orNull(some: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: fc.constant(rawNode('null')) });
}

const anything: fc.Arbitrary<Node> = fc.jsonValue({ maxDepth: 2 }).map((value) => rawNode(JSON.stringify(value)));

function isNullable(schema: { readonly [keyword: string]: unknown }): boolean {
  return typesIn(schema).includes('null') || (Array.isArray(schema['anyOf']) && schema['anyOf'].some(isNullType));
}

function isNullType(schema: unknown): boolean {
  return isSchema(schema) && typeof schema !== 'boolean' && schema['type'] === 'null';
}

function typesIn({ type }: { readonly [keyword: string]: unknown }): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function deeper({ operationId, depth }: Position, field: string): Position {
  return { operationId, field, depth: depth + 1 };
}
