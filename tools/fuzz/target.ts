import type { Draft } from './draft.ts';
import { type Mutation, mutated } from './mutation.ts';
import { type MapNode, mapNode, type Node, plainOf, type Resolve, valueAt } from './node.ts';

/** The target of a request, one character per byte. `keyInQuery` null: the query has no key. */
export function targetOf(draft: Draft, resolve: Resolve, keyInQuery: string | null): string {
  const { operation, pathTrick } = draft;
  const { encode = plainlyEncoded, path: change = (path) => path, origin = '' } = pathTrick;
  const values = mutatedMap(draft.path, draft.mutations, 'path');
  const query = mutatedMap(draft.query, draft.mutations, 'query');
  const path = operation.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueAt(values, name);
    return value === undefined ? '' : encode(plainOf(value, resolve));
  });
  const pairs = query.entries.flatMap(([name, value]) => pairsOf(name, value, resolve));
  if (keyInQuery !== null) pairs.push(['X-API-Key', keyInQuery]);
  const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return `${origin}${change(`/v1${path}`)}${search === '' ? '' : `?${search}`}`;
}

/** Lists and objects in a query: repeated names, and names with brackets. */
function pairsOf(name: string, value: Node, resolve: Resolve): [string, string][] {
  if (value.kind === 'list') return value.items.flatMap((item) => pairsOf(name, item, resolve));
  if (value.kind === 'map') return value.entries.flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner, resolve));
  return [[name, plainOf(value, resolve)]];
}

function plainlyEncoded(text: string): string {
  // A lone surrogate cannot be encoded, so it becomes U+FFFD, as in every text that is sent.
  return encodeURIComponent(text.toWellFormed());
}

function mutatedMap(map: MapNode, mutations: readonly Mutation[], part: 'path' | 'query'): MapNode {
  const ours = mutations.filter((mutation) => mutation.part === part);
  const changed = ours.reduce<Node>((node, { at, change }) => mutated(node, at, change, false), map);
  return changed.kind === 'map' ? changed : mapNode([]);
}
