import type { Draft } from './draft.ts';
import { type Mutation, mutated } from './mutation.ts';
import { type MapNode, mapNode, type Node, plainOf, type Resolve, valueAt } from './node.ts';
import type { PathTrick } from './tricks.ts';

/** The target of a request, one character per byte. `keyInQuery` null: the query has no key. */
export function targetOf(draft: Draft, resolve: Resolve, keyInQuery: string | null): string {
  const { operation, pathTrick: trick } = draft;
  const values = mutatedMap(draft.path, draft.mutations, 'path');
  const query = mutatedMap(draft.query, draft.mutations, 'query');
  const path = operation.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueAt(values, name);
    return value === undefined ? '' : encoded(plainOf(value, resolve), trick);
  });
  const pairs = query.entries.flatMap(([name, value]) => pairsOf(name, value, resolve));
  if (keyInQuery !== null) pairs.push(['X-API-Key', keyInQuery]);
  const search = pairs.map(([name, value]) => `${encoded(name, trick)}=${encoded(value, trick)}`).join('&');
  const whole = `${tricked(`/v1${path}`, trick)}${search === '' ? '' : `?${search}`}`;
  return trick.kind === 'absolute' ? `http://evil.invalid${whole}` : whole;
}

function tricked(path: string, trick: PathTrick): string {
  if (trick.kind === 'append') return `${path}${trick.text}`;
  if (trick.kind === 'prepend') return path.replace('/v1', `/v1${trick.text}`);
  return trick.kind === 'upper' ? path.toUpperCase() : path;
}

/** Lists and objects in a query: repeated names, and names with brackets. */
function pairsOf(name: string, value: Node, resolve: Resolve): [string, string][] {
  if (value.kind === 'list') return value.items.flatMap((item) => pairsOf(name, item, resolve));
  if (value.kind === 'map') return value.entries.flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner, resolve));
  return [[name, plainOf(value, resolve)]];
}

function encoded(text: string, trick: PathTrick): string {
  const bytes = Buffer.from(text, 'utf8');
  if (trick.kind === 'bare') return bytes.toString('latin1');
  if (trick.kind !== 'percent') return encodeURIComponent(bytes.toString('utf8'));
  const once = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return trick.times === 1 ? once : once.replaceAll('%', '%25');
}

function mutatedMap(map: MapNode, mutations: readonly Mutation[], part: 'path' | 'query'): MapNode {
  const ours = mutations.filter((mutation) => mutation.part === part);
  const changed = ours.reduce<Node>((node, { at, change }) => mutated(node, at, change, false), map);
  return changed.kind === 'map' ? changed : mapNode([]);
}
