import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { Answered } from './answer.ts';
import type { Call, Verb } from './call.ts';
import { causeOf, messageIn, namesIn, secondsIn } from './reading.ts';
import { pauseAfter, type RetryPolicy } from './retry.ts';
import { type Failure, TidelineError } from './tideline-error.ts';

export interface TransportOptions {
  /** Address, headers, fetch. */
  readonly fetchOptions: ClientOptions;
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
  readonly warn: (message: string) => void;
}

/** Any operation in the types of openapi-fetch: text out, text in. */
interface AnyOperation {
  readonly parameters: {
    readonly query?: { readonly [name: string]: unknown };
    readonly path?: { readonly [name: string]: string };
  };
  readonly requestBody: { readonly content: { readonly 'application/json': string | undefined } };
  readonly responses: { readonly 200: { readonly content: { readonly 'application/json': unknown } } };
}

interface AnyPaths {
  readonly [path: string]: Record<Verb, AnyOperation>;
}

/** The answer: the text or bytes of a success; otherwise the text, or the JSON in it. */
interface Reply {
  readonly said: unknown;
  readonly response: Response;
}

/** Makes calls, repeats them if that is safe, and reports every failure as one kind of error. */
export class Transport {
  readonly #wire: Client<AnyPaths>;
  readonly #timeoutMs: number;
  readonly #retries: RetryPolicy;
  readonly #warn: (message: string) => void;
  /** The operations that a warning has named. */
  readonly #warned = new Set<string>();

  constructor({ fetchOptions, timeoutMs, retries, warn }: TransportOptions) {
    this.#wire = createFetchClient<AnyPaths>(fetchOptions);
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#warn = warn;
  }

  /**
   * The answer to a call. `read` gives its body a type: by default the one that the document declares.
   *
   * @throws TidelineError; if the call's signal is aborted, its reason
   */
  async send<T>(call: Call, read: Read<T> = parsed): Promise<Answered<T>> {
    const { options, isRepeatable } = call;
    const retries = { ...this.#retries, maxRetries: options.maxRetries ?? this.#retries.maxRetries };
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.#once(call, read);
      } catch (error) {
        const pauseMs = error instanceof TidelineError ? pauseAfter(error, { failed, isRepeatable }, retries) : null;
        if (pauseMs === null) throw error;
        await pause(pauseMs, options.signal);
      }
    }
  }

  async #once<T>(call: Call, read: Read<T>): Promise<Answered<T>> {
    const { operation, isKeyed } = call;
    const { said, response } = await this.#exchange(call);
    const { status, headers } = response;
    const about: Failure = {
      operation,
      status,
      requestId: headers.get('X-Request-Id'),
      retryAfter: secondsIn(headers.get('Retry-After')),
    };
    if (!response.ok) throw new TidelineError(messageIn(said) ?? `${operation} answered ${status}`, about);
    const mismatch = headers.get('Idempotency-Mismatch') === 'true';
    if (mismatch) this.#warnOf(operation);
    return {
      data: read(said, about),
      status,
      requestId: about.requestId,
      replayed: isKeyed && headers.get('Idempotency-Replayed') === 'true',
      mismatch,
      ignoredFields: namesIn(headers.get('X-Ignored-Fields')),
    };
  }

  #warnOf(operation: string): void {
    if (this.#warned.has(operation)) return;
    this.#warned.add(operation);
    this.#warn(
      `${operation}: the idempotencyKey was used before, with another body. Nothing was made or changed, and the answer ` +
        'is what the first call made. Use a new key for a new body.',
    );
  }

  async #exchange({ operation, verb, path, ids, query, body, isPdf, options }: Call): Promise<Reply> {
    options.signal?.throwIfAborted();
    const signals = [
      AbortSignal.timeout(options.timeoutMs ?? this.#timeoutMs),
      ...(options.signal ? [options.signal] : []),
    ];
    try {
      const { data, error, response } = await this.#wire.request(verb, path, {
        params: { path: ids, ...(query === undefined ? {} : { query }) },
        body,
        bodySerializer: (text: string | undefined) => text,
        parseAs: isPdf ? 'arrayBuffer' : 'text',
        ...(isPdf ? { headers: { Accept: 'application/pdf' } } : {}),
        signal: AbortSignal.any(signals),
      });
      return { said: data ?? error, response };
    } catch (error) {
      options.signal?.throwIfAborted();
      const about: Failure = { operation, status: 0, requestId: null, retryAfter: null };
      throw new TidelineError(`${operation} was not answered: ${causeOf(error)}`, about, { cause: error });
    }
  }
}

type Read<T> = (said: unknown, about: Failure) => T;

/** The bytes of a PDF. Throws a TidelineError if the answer is none. */
export function pdfIn(said: unknown, about: Failure): Uint8Array {
  const bytes = said instanceof ArrayBuffer ? new Uint8Array(said) : new Uint8Array();
  if (new TextDecoder().decode(bytes.subarray(0, 5)) === '%PDF-') return bytes;
  throw new TidelineError(`${about.operation} answered ${about.status} without a PDF: is baseUrl the API's?`, about);
}

/** The only function that gives JSON its type. Throws a TidelineError if it is not JSON. */
function parsed<T>(said: unknown, about: Failure): T {
  try {
    const body: T = JSON.parse(String(said));
    return body;
  } catch (error) {
    const message = `${about.operation} answered ${about.status} without JSON: is baseUrl the API's?`;
    throw new TidelineError(message, about, { cause: error });
  }
}

/** Rejects with the signal's reason as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
