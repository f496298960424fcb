/** For one call. */
export interface CallOptions {
  /** Aborted: the call ends, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined;
  /** Further attempts after the first. */
  readonly maxRetries?: number | undefined;
}

export type Verb = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** One call, ready to be made. */
export interface Call {
  /** `POST /offers/{offerId}/pricing`. */
  readonly operation: string;
  readonly verb: Verb;
  /** With places for ids, as in `operation`. */
  readonly path: string;
  readonly ids: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown } | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** Whether twice is the same as once: a read, or a create with an idempotency key. */
  readonly isRepeatable: boolean;
  /** An idempotency key is in the body. */
  readonly isKeyed: boolean;
  readonly options: CallOptions;
}

const VERBS: { readonly [method: string]: Verb | undefined } = {
  GET: 'get',
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
};

/** Where the input of an operation goes. `create` is a body in which an idempotency key counts. */
export type InputKind = 'none' | 'query' | 'body' | 'create';

/**
 * The call that a method of the client stands for.
 *
 * @param given the method's arguments: an id for each place in the path, the input, the options
 * @throws TypeError for what is no id, no input or no JSON; its message does not repeat what was given
 */
export function readCall(operation: string, kind: InputKind, given: readonly unknown[]): Call {
  const [method = '', path = ''] = operation.split(' ');
  const verb = VERBS[method];
  if (verb === undefined) throw new TypeError(`${operation} is no operation: expected a method and a path`);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = Object.fromEntries(names.map((name, index) => [name, requireId(operation, name, given[index])]));
  const rest = given.slice(names.length);
  const input = kind === 'none' ? undefined : requireObject(operation, kind, rest.shift());
  const options = requireOptions(operation, rest.shift());
  const isKeyed = kind === 'create' && typeof input?.['idempotencyKey'] === 'string';
  return {
    operation,
    verb,
    path,
    ids,
    ...(kind === 'query' ? { query: input } : { body: input && JSON.stringify(input) }),
    isRepeatable: verb === 'get' || isKeyed,
    isKeyed,
    options,
  };
}

/** An id that is empty or dots would make another path of it, and so another call. */
function requireId(operation: string, name: string, given: unknown): string {
  if (typeof given === 'string' && !/^\.{0,2}$/.test(given)) return given;
  const found = typeof given === 'string' ? `"${given}"` : typeof given;
  throw new TypeError(`${operation}: ${name} is ${found}; expected an id`);
}

type Fields = { readonly [name: string]: unknown };

function requireObject(operation: string, what: string, given: unknown): Fields | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given };
  throw new TypeError(`${operation}: the ${what} is ${given === null ? 'null' : typeof given}; expected an object`);
}

function requireOptions(operation: string, given: unknown): CallOptions {
  const { signal, timeoutMs, maxRetries } = requireObject(operation, 'last argument', given) ?? {};
  return {
    signal: signal instanceof AbortSignal ? signal : undefined,
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    maxRetries: typeof maxRetries === 'number' ? maxRetries : undefined,
  };
}
