import { checkKey } from './body.ts';

export type QueryParameters = { readonly [name: string]: string | readonly string[] };

/** The parameters of a URL's query: a string, or a list if the name is repeated. Brackets in names have no meaning. */
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
