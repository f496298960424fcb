import fc from 'fast-check';
import { isNeeded, meaningOf } from './dictionary.ts';
import type { ApiDocument, Keywords, Schema } from './document.ts';
import { type Entry, listNode, type MapNode, mapNode, type Node, nodeOf, rawNode, textNode, valueAt } from './node.ts';

/** Below this depth a recursive schema gives a text. */
const DEPTH_MAX = 4;
const ITEMS_MAX = 3;
const KEYS = ['plan', 'seats', 'x-y', 'a.b', '$set', '_id', '_bsontype', 'toJSON', '0', 'ключ', '👾', ' '] as const;

/** Values that a schema of the document allows; the dictionary supplies meaningful values of known fields. */
export function valuesOf(document: ApiDocument, whole: Schema, operationId: string, name = ''): fc.Arbitrary<Node> {
  function valueAtField(given: Schema, field: string, depth: number): fc.Arbitrary<Node> {
    const schema = document.resolved(given);
    const meaning = meaningOf(operationId, field);
    if (typeof schema === 'boolean' || Object.keys(schema).length === 0) return meaning ?? anything;
    if (meaning !== null) return isNullable(schema) ? orNull(meaning) : meaning;
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum).map(nodeOf);
    if (schema.anyOf !== undefined) {
      if (depth >= DEPTH_MAX) return fc.constant(textNode('deep'));
      return fc.oneof(...schema.anyOf.map((each) => valueAtField(each, field, depth + 1)));
    }
    const kinds = typesIn(schema).filter((type) => type !== 'null');
    const some = kinds.length === 0 ? anything : fc.oneof(...kinds.map((type) => ofType(schema, type, field, depth)));
    return isNullable(schema) ? orNull(some) : some;
  }

  function ofType(schema: Keywords, type: string, field: string, depth: number): fc.Arbitrary<Node> {
    switch (type) {
      case 'string':
        return textsOf(schema).map(nodeOf);
      case 'integer':
        return integersOf(schema).map(nodeOf);
      case 'number':
        return fc.constantFrom('0', '-0', '1.5', '-3', '1e21', '9007199254740993', '5e-324').map(rawNode);
      case 'boolean':
        return fc.boolean().map(nodeOf);
      case 'array':
        return itemsOf(schema, field, depth);
      case 'object':
        return schema.properties === undefined ? mapsOf(schema, depth) : entriesOf(schema, depth);
      default:
        throw new Error(`the document has a schema of the unknown type ${type}, at ${field}`);
    }
  }

  function itemsOf({ items = true, minItems: minLength = 0 }: Keywords, field: string, depth: number) {
    if (depth >= DEPTH_MAX && minLength === 0) return fc.constant(listNode([]));
    // The items of `ids` mean the same as `ids`; the items of other lists have no name.
    const item = valueAtField(items, field === 'ids' ? field : '', depth + 1);
    return fc.array(item, { minLength, maxLength: Math.max(minLength, ITEMS_MAX), size: 'max' }).map(listNode);
  }

  function entriesOf({ properties = {}, required = [] }: Keywords, depth: number) {
    const fields = Object.entries(properties)
      .filter(([, schema]) => schema !== false)
      .map(([field, schema]) => {
        const value = valueAtField(schema, field, depth + 1).map((node): Entry => [field, node]);
        if (required.includes(field)) return value;
        return fc.option(value, { freq: isNeeded(operationId, field) && depth === 0 ? 20 : 2 });
      });
    return fc.tuple(...fields).map((entries) => coherent(mapNode(entries.filter((entry) => entry !== null))));
  }

  function mapsOf({ additionalProperties = true }: Keywords, depth: number) {
    if (depth >= DEPTH_MAX) return fc.constant(mapNode([]));
    const entry = fc.tuple(fc.constantFrom(...KEYS), valueAtField(additionalProperties, '', depth + 1));
    return fc.uniqueArray(entry, { maxLength: ITEMS_MAX, selector: ([key]) => key }).map(mapNode);
  }

  return valueAtField(whole, name, 0);
}

function textsOf({ pattern, minLength = 0, maxLength = 100 }: Keywords): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, 20) }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 8) }) },
    { weight: 1, arbitrary: fc.constant('m'.repeat(maxLength)) },
  );
}

function integersOf({ minimum: min = -1_000, maximum: max = 1_000 }: Keywords): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min, max: Math.min(max, min + 5) }) },
    { weight: 1, arbitrary: fc.constant(max) },
  );
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
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: fc.constant(nodeOf(null)) });
}

const anything: fc.Arbitrary<Node> = fc.jsonValue({ maxDepth: 2 }).map((value) => rawNode(JSON.stringify(value)));

function isNullable(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  return typesIn(schema).includes('null') || (schema.anyOf ?? []).some(isNullable);
}

function typesIn({ type = [] }: Keywords): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}
