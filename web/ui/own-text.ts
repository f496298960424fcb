import { type ComponentChild, createElement, Fragment, type VNode } from 'preact';

/** Preact sets the properties of these as attributes, and they take no `span`. */
const OF_SVG: ReadonlySet<unknown> = new Set(['text', 'tspan', 'title']);

/** An amount with its ticker, an address or a hash, whole or shortened, alone or in a sentence. */
const EXACT = /\d[.,]\d{2,}\s\p{L}|\w…\w|\w{32}/u;

/**
 * A hook of Preact, for each element: makes a text the whole content of an element, which is replaced with it. The
 * translation of a browser puts elements of its own in the position of text nodes; Preact would go on to change the
 * text nodes that have left the page. Exact texts are marked, so that nobody translates them.
 */
export function ownText({ type, props }: VNode): void {
  if (type !== Fragment && (typeof type !== 'string' || OF_SVG.has(type))) return;
  const all: readonly ComponentChild[] = [props.children].flat();
  const text = type === Fragment ? null : textOf(all);
  if (text !== null) Object.assign(props, { textContent: text, children: undefined });
  else props.children = all.map(inElement);
  if (type === 'code' || type === 'pre' || EXACT.test(text ?? '')) Object.assign(props, { translate: false });
}

/** null: it has elements, or nothing. */
function textOf(children: readonly ComponentChild[]): string | null {
  const shown = children.filter((each) => each !== null && each !== undefined && typeof each !== 'boolean');
  return shown.length > 0 && shown.every((each) => typeof each !== 'object') ? shown.join('') : null;
}

/** White space between elements stays a text node: in a flex box, an element would take a gap. */
function inElement(child: ComponentChild): ComponentChild {
  const isText = typeof child === 'number' || (typeof child === 'string' && child.trim() !== '');
  return isText ? createElement('span', {}, child) : child;
}
