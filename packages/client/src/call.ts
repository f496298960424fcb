import { randomDigits } from './random.ts';

/** Options of one call. */
export interface CallOptions {
  /** An abort ends the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of one attempt. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first. */
  readonly maxRetries?: number | undefined;
}

export type Verb = 'get' | 'post' | 'patch' | 'put' | 'delete';

export interface Call {
  /** `POST /offers/{offerId}/pricing`. */
  readonly operation: string;
  readonly verb: Verb;
  /** With placeholders for ids, as in `operation`. */
  readonly path: string;
  readonly ids: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown } | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** True if two calls have the effect of one: a read, or a create with an idempotency key. */
  readonly isRepeatable: boolean;
  /** Asks for a PDF in place of JSON. */
  readonly isPdf: boolean;
  /** The body contains an idempotency key that the caller has chosen. */
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

/**
 * How an operation takes its input. `create`: a body in which an idempotency key counts. A body without one gets one
 * for this call; null stays null. `keyed`: the caller's keys are in the body, whichever process sends it.
 * `pdf`: a query whose answer is a PDF.
 */
export type InputKind = 'none' | 'query' | 'pdf' | 'body' | 'create' | 'keyed';

/**
 * The call that a method of the client makes.
 *
 * @param given the method's arguments: an id for each placeholder of the path, the input, the options
 * @throws TypeError for an invalid id, or input that is not an object or not JSON; its message does not repeat the
 * value
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
  const isKeyed = kind === 'keyed' || (kind === 'create' && typeof input?.['idempotencyKey'] === 'string');
  const isKeyedHere = kind === 'create' && input?.['idempotencyKey'] === undefined;
  const sent = isKeyedHere ? { ...input, idempotencyKey: `auto-${randomDigits()}` } : input;
  return {
    operation,
    verb,
    path,
    ids,
    ...(kind === 'query' || kind === 'pdf' ? { query: input } : { body: sent && JSON.stringify(sent) }),
    isRepeatable: verb === 'get' || isKeyed || isKeyedHere,
    isKeyed,
    isPdf: kind === 'pdf',
    options,
  };
}

/** An empty id, or one of dots, would change the path and so the call. */
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
