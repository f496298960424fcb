import { unknownCase } from '../../machines/unknown-case.ts';
import type { Reference, Role } from './view.ts';

export interface Ref extends Reference {
  readonly kind: 'ref';
}

/**
 * A JSON value in any spelling, valid or not: duplicate keys in any order, numbers of any form, names that reach
 * prototypes. `raw` goes into the text unchanged.
 */
export type Node =
  | Ref
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | MapNode;

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
}

export type Entry = readonly [key: string, value: Node];

/** The current value of a reference. */
export type Resolve = (ref: Reference) => string;

export function textNode(value: string): Node {
  return { kind: 'text', value };
}

export function rawNode(text: string): Node {
  return { kind: 'raw', text };
}

export function refNode(role: Role, nth: number | null = null, isOthers = false): Ref {
  return { kind: 'ref', role, nth, isOthers };
}

export function mapNode(entries: readonly Entry[]): MapNode {
  return { kind: 'map', entries };
}

/** A value of JSON in which references may stand. */
type Value = string | number | boolean | null | Ref | readonly Value[] | { readonly [key: string]: Value };

export function nodeOf(value: Value): Node {
  if (typeof value === 'string') return textNode(value);
  if (typeof value !== 'object' || value === null) return rawNode(String(value));
  if (isList(value)) return listNode(value.map(nodeOf));
  return isRef(value) ? value : mapNode(Object.entries(value).map(([key, inner]) => [key, nodeOf(inner)]));
}

function isList(value: object): value is readonly Value[] {
  return Array.isArray(value);
}

function isRef(value: Ref | { readonly [key: string]: Value }): value is Ref {
  return value['kind'] === 'ref';
}

export function listNode(items: readonly Node[]): Node {
  return { kind: 'list', items };
}

/** As JSON. A lone surrogate is written as its escape, because JSON text can carry that. */
export function jsonOf(node: Node, resolve: Resolve): string {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.value);
    case 'raw':
      return node.text;
    case 'ref':
      return JSON.stringify(resolve(node));
    case 'list':
      return `[${node.items.map((item) => jsonOf(item, resolve)).join(',')}]`;
    case 'map':
      return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value, resolve)}`).join(',')}}`;
    default:
      return unknownCase(node, 'node');
  }
}

/** The text of one URL parameter. */
export function plainOf(node: Node, resolve: Resolve): string {
  if (node.kind === 'text') return node.value;
  if (node.kind === 'ref') return resolve(node);
  return jsonOf(node, resolve);
}

/** The value of a key; the first one of duplicates. */
export function valueAt({ entries }: MapNode, key: string): Node | undefined {
  return entries.find(([name]) => name === key)?.[1];
}
