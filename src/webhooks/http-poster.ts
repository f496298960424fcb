import { Agent, type buildConnector, type Dispatcher, errors } from 'undici';
import { AddressRefused, NameUnresolved } from './address-guard.ts';

/** How long connection, request and answer may take together, in milliseconds (docs/rules.md, "Webhooks"). */
const POST_TIMEOUT_MS = 15_000;

/** How much of an answer's body is kept, and how much is read so that the connection can be used again; in bytes. */
const BODY_KEPT = 1_024;
const BODY_READ = 64 * 1_024;

/**
 * An idle connection is used again only within a second: receivers close idle connections after two or more, and a POST
 * at that moment would fail without a cause. No connection is used for longer than ten seconds, so that a receiver that
 * moves is found at its new address, and that address is checked.
 */
const IDLE_MS = 1_000;
const CONNECTION_MS = 10_000;

const HEADERS_MAX = 16 * 1_024;

export interface PostRequest {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
}

/** The receiver's answer. `status` null means none, and `error` says why. `body` is its first kilobyte as text. */
export type Answer =
  | { readonly status: number; readonly error: null; readonly body: string }
  | { readonly status: null; readonly error: string; readonly body: null };

export interface Poster {
  /** Resolves within the time-out, whatever the receiver does. Never rejects. */
  post(request: PostRequest): Promise<Answer>;
  close(): Promise<void>;
}

interface HttpPosterOptions {
  /** Makes every connection. */
  readonly connect: buildConnector.connector;
  readonly timeoutMs?: number | undefined;
}

/** Posts bytes. Follows no redirects, uses no proxies, and buffers no more of an answer than it keeps. */
export class HttpPoster implements Poster {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ connect, timeoutMs = POST_TIMEOUT_MS }: HttpPosterOptions) {
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      connect,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      clientTtl: CONNECTION_MS,
      maxHeaderSize: HEADERS_MAX,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Resolves within the time-out, whatever the receiver does. Never rejects. */
  post({ url, headers, body }: PostRequest): Promise<Answer> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#timeoutMs, resolve);
      try {
        this.#agent.dispatch(
          { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers: { ...headers }, body },
          exchange,
        );
      } catch (error) {
        exchange.end(error);
      }
    });
  }

  /** Aborts all requests under way. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** One request and its answer. It ends once: with the answer, an error or the time-out. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #kept: Buffer[] = [];
  #read = 0;
  #status: number | null = null;
  /** Set while the request is under way. */
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;

  constructor(timeoutMs: number, resolve: (answer: Answer) => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.end(new NoAnswer(`No answer within ${timeoutMs / 1_000} s`)), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new NoAnswer('its time was over before it could be sent'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < BODY_KEPT) this.#kept.push(Buffer.from(chunk.subarray(0, BODY_KEPT - this.#read)));
    this.#read += chunk.length;
    if (this.#read > BODY_READ) this.end(null);
  }

  onResponseEnd(): void {
    this.#controller = null;
    this.end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#controller = null;
    this.end(error);
  }

  /** A status that has arrived is the answer, even if the rest of the body fails. */
  end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(
      this.#status === null
        ? { status: null, error: sentenceOf(error), body: null }
        : { status: this.#status, error: null, body: textOf(Buffer.concat(this.#kept)) },
    );
    this.#controller?.abort(new NoAnswer('nothing more is wanted of this answer'));
  }
}

/** Decodes UTF-8. Drops a last character that the limit has cut. */
function textOf(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  return new TextDecoder('utf-8').decode(bytes, { stream: true });
}

/** The receiver has not answered in time. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const SENTENCES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed before the answer',
  EPIPE: 'Connection closed before the answer',
  UND_ERR_SOCKET: 'Connection closed before the answer',
  ECONNABORTED: 'Connection closed before the answer',
  EHOSTUNREACH: 'Host unreachable',
  ENETUNREACH: 'Host unreachable',
  ETIMEDOUT: 'No connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'No connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long',
};

/** Why there was no answer, for the merchant. It never has a secret, a path or an address of the service. */
function sentenceOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  if (error instanceof AddressRefused) return `Address not allowed: ${error.kind}`;
  if (error instanceof NameUnresolved) return 'Host name does not resolve';
  if (error instanceof errors.HTTPParserError) return 'The answer is not HTTP';
  const code = codeOf(error);
  if (code === null) return 'Connection failed';
  const known = SENTENCES[code];
  if (known) return known;
  return isTls(code) ? `TLS failed (${code})` : `Connection failed (${code})`;
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : null;
}

/** OpenSSL's error codes, and the codes of refused certificates. */
function isTls(code: string): boolean {
  return /^(?:ERR_SSL|ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code);
}
