import type { z } from 'zod';
import { messageOf } from '../../src/errors/message-of.ts';
import { ScriptError } from './script.ts';

export interface JsonRequest<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The schema of answers with an `expected` status; unknown fields are allowed. */
  readonly schema: z.ZodType<T>;
  readonly expected: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Sends it; by default the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The service answered with an unexpected status. */
export class UnexpectedStatus extends ScriptError {
  readonly status: number;
  /** The message in the body. */
  readonly answer: string;

  constructor(request: Pick<JsonRequest<unknown>, 'method' | 'url' | 'expected'>, status: number, answer: string) {
    const { method, url, expected } = request;
    super(`${method} ${url} answered ${status} (${answer}); expected ${expected.join(' or ')}`);
    this.status = status;
    this.answer = answer;
  }
}

/** No server answers at the URL. */
export class Unreachable extends ScriptError {}

/** Longer than calls that wait up to 25 s for a charge. */
const TIMEOUT_MS = 35_000;

/**
 * One call of a JSON HTTP API.
 *
 * @throws Unreachable if nobody answers, UnexpectedStatus, or a ScriptError if the answer has another shape
 */
export async function requestJson<T>(request: JsonRequest<T>): Promise<T> {
  const response = await send(request);
  const text = await response.text();
  if (!request.expected.includes(response.status)) {
    throw new UnexpectedStatus(request, response.status, errorIn(text));
  }
  const parsed = request.schema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the body';
  throw new ScriptError(
    `${request.method} ${request.url} answered ${response.status}, but ${where} is not as expected: ${issue?.message}`,
  );
}

async function send({ method, url, headers = {}, body, signal, ...how }: JsonRequest<unknown>): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const request = new Request(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  try {
    return await (how.fetch ?? fetch)(request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(`${method} ${url}: ${causeOf(error)}`);
  }
}

/** The causes of a failed fetch, whose message is only `fetch failed`: one for each address that was tried. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error) || error.cause === undefined) return messageOf(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join(', ');
  return messageOf(cause);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message of the API's error shape, otherwise the beginning of the text. */
function errorIn(text: string): string {
  const body = jsonIn(text);
  if (typeof body === 'object' && body !== null && 'error' in body) return String(body.error);
  return text.trim().slice(0, 200) || 'an empty body';
}
