import { unknownCase } from '../../machines/unknown-case.ts';
import { listNode, type MapNode, mapNode, type Node } from './node.ts';

/** A change of one position of a value. */
export type Change =
  | { readonly kind: 'replace'; readonly with: Node }
  /** Adds an entry to an object; any other value is replaced by an object with the entry. */
  | { readonly kind: 'add'; readonly key: string; readonly value: Node }
  | { readonly kind: 'drop' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'wrap'; readonly levels: number; readonly key: string | null };

export interface Mutation {
  readonly part: 'path' | 'query' | 'body';
  /** The index of the position in reading order, modulo their number. */
  readonly at: number;
  readonly change: Change;
}

/** The value with one position changed. The root counts as a position only where it may be replaced. */
export function mutated(root: Node, at: number, change: Change, isRootIncluded: boolean): Node {
  const first = isRootIncluded ? 0 : 1;
  const count = positionsIn(root) - first;
  if (count <= 0) return change.kind === 'add' && root.kind === 'map' ? added(root, change.key, change.value) : root;
  const counter = { left: first + (at % count) };
  const [only = root] = visit(root, counter, change);
  return only;
}

function positionsIn(node: Node): number {
  return 1 + childrenOf(node).reduce((sum, child) => sum + positionsIn(child), 0);
}

function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'list') return node.items;
  return node.kind === 'map' ? node.entries.map(([, value]) => value) : [];
}

/** The nodes that replace a node: none, one or two. */
function visit(node: Node, counter: { left: number }, change: Change): readonly Node[] {
  if (counter.left === 0) {
    counter.left = -1;
    return changed(node, change);
  }
  counter.left -= 1;
  if (counter.left < 0) return [node];
  if (node.kind === 'list') return [listNode(node.items.flatMap((item) => visit(item, counter, change)))];
  if (node.kind !== 'map') return [node];
  const entries = node.entries.flatMap(([key, value]) =>
    visit(value, counter, change).map((each): [string, Node] => [key, each]),
  );
  return [mapNode(entries)];
}

function changed(node: Node, change: Change): readonly Node[] {
  switch (change.kind) {
    case 'replace':
      return [change.with];
    case 'add':
      return [added(node.kind === 'map' ? node : mapNode([]), change.key, change.value)];
    case 'drop':
      return [];
    case 'twice':
      return [node, node];
    case 'wrap':
      return [wrapped(node, change.levels, change.key)];
    default:
      return unknownCase(change, 'change');
  }
}

function added({ entries }: MapNode, key: string, value: Node): MapNode {
  return mapNode([...entries, [key, value]]);
}

function wrapped(node: Node, levels: number, key: string | null): Node {
  let outer = node;
  for (let level = 0; level < levels; level += 1) outer = key === null ? listNode([outer]) : mapNode([[key, outer]]);
  return outer;
}
