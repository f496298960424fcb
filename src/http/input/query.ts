import { isMap } from '../../../machines/json.ts';
import { checkKey } from './body.ts';

export type QueryParameters = { readonly [name: string]: string | readonly string[] };

/** A query in which some parameters are objects: `created[gte]=…` is `gte` in `created`. */
export type GroupedQuery = { readonly [name: string]: string | readonly string[] | QueryParameters };

const IN_OBJECT = /^(\w+)\[([^[\]]+)\]$/;

/** Gathers the parameters of the named objects. Other names keep their brackets. */
export function grouped(query: QueryParameters, objects: ReadonlySet<string>): GroupedQuery {
  const found: { [name: string]: string | readonly string[] | { [key: string]: string | readonly string[] } } = {};
  for (const [name, value] of Object.entries(query)) {
    const [, object = '', key = ''] = IN_OBJECT.exec(name) ?? [];
    if (!objects.has(object)) {
      found[name] = value;
      continue;
    }
    checkKey(key);
    const before = found[object];
    found[object] = { ...(isMap(before) ? before : {}), [key]: value };
  }
  return found;
}

/** The parameters of a URL's query: a string, or a list if the name repeats. Brackets have no meaning yet. */
export function parseQuery(url: string): QueryParameters {
  const mark = url.indexOf('?');
  if (mark === -1) return {};
  const found = new URLSearchParams(url.slice(mark + 1));
  const parameters: { [name: string]: string | readonly string[] } = {};
  for (const name of new Set(found.keys())) {
    checkKey(name);
    const values = found.getAll(name);
    const [only] = values;
    parameters[name] = values.length === 1 && only !== undefined ? only : values;
  }
  return parameters;
}
