import type { Json } from '../../machines/json.ts';
import type { Operation, Parameter } from './document.ts';

export interface SampleWorld {
  /** `https://pay.example.com/v1`. */
  readonly baseUrl: string;
  /** The client's method of each operation. */
  readonly methods: ReadonlyMap<string, string>;
  /** The least role of a member who may make the call from the dashboard; `none`: it needs a key. */
  readonly roles: ReadonlyMap<string, string>;
}

/** The call of an operation with curl, with the examples of the document. */
export function curlSample(operation: Operation, { baseUrl }: SampleWorld): string {
  const { method, path } = operation;
  const body = bodyOf(operation);
  const asked = body === undefined ? Object.entries(queryOf(operation)) : [];
  const query = new URLSearchParams(Object.fromEntries(asked.map(([name, is]) => [name, String(is)]))).toString();
  const target = parametersIn(operation, 'path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, String(example)),
    path,
  );
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return [
    `curl ${verb}${quoted(`${baseUrl}${target}${query === '' ? '' : `?${query}`}`)}`,
    `-H "X-API-Key: $TIDELINE_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(shown(body))}`]),
  ].join(' \\\n  ');
}

/** The same with the published client: ids, then body or query. */
export function typescriptSample(operation: Operation, { baseUrl, methods }: SampleWorld): string {
  const method = methods.get(`${operation.method} ${operation.path}`);
  if (method === undefined) throw new Error(`the client has no method for ${operation.method} ${operation.path}`);
  const ids = parametersIn(operation, 'path').map(({ example }) => JSON.stringify(example));
  const query = queryOf(operation);
  const input = bodyOf(operation) ?? (Object.keys(query).length === 0 ? undefined : query);
  const given = [...ids, ...(input === undefined ? [] : [asCode(input)])].join(', ');
  return `import { env } from 'node:process';
import { createClient } from '@tideline/client';

const tideline = createClient({
  apiKey: env['TIDELINE_API_KEY'] ?? '',
  baseUrl: '${baseUrl}',
});

const answer = await tideline.${method}(${given});
console.log(answer);`;
}

function bodyOf({ requestBody }: Operation): Json | undefined {
  return requestBody?.content['application/json']?.example;
}

/** The query parameters that have an example. */
function queryOf(operation: Operation): { readonly [name: string]: Json } {
  return Object.fromEntries(
    parametersIn(operation, 'query').flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
}

function parametersIn({ parameters }: Operation, location: Parameter['in']): Parameter[] {
  return parameters.filter((parameter) => parameter.in === location);
}

/** JSON over several lines, as people read it. */
export function shown(value: Json): string {
  return JSON.stringify(value, null, 2);
}

/** JSON as an expression: keys need no quotes. A text never contains a line break, so a line begins with a key. */
function asCode(value: Json): string {
  return shown(value).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
}

/** One argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
