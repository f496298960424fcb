import { isDeepStrictEqual } from 'node:util';
import { Agent, request } from 'undici';
import { z } from 'zod';

/** Who can be asked: one node, or several that stand for one chain. */
export interface Asked {
  /** One answer per call, in the order of the calls. @throws NodeUnreachable if nobody answers */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /** @throws NodeUnreachable if nobody answers, NodeRefused if the answer is an error */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The node did not answer: time-out, connection, HTTP status, not JSON-RPC. It says nothing about what was asked. */
export class NodeUnreachable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeUnreachable';
  }
}

/** The node answered with an error. `data` is the revert data (0x-hex), where there is any; `detail` is all that it sent. */
export class NodeRefused extends Error {
  readonly code: number;
  readonly data: string | null;
  readonly detail: unknown;

  constructor(method: string, code: number, message: string, data: string | null, detail: unknown = data) {
    super(`${method}: ${message} (${code})`);
    this.name = 'NodeRefused';
    this.code = code;
    this.data = data;
    this.detail = detail;
  }
}

/** The answer to one call of a batch; an item that the node left out is `NodeUnreachable`. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeRefused | NodeUnreachable };

/** What carries calls to one node. */
export interface RpcTransport extends Asked {
  /** Names the node to people; nothing of it is secret. */
  readonly host: string;
  /** Gives up what is under way: to whoever asked, the node has not answered. */
  abort(): void;
  /** Lets what is under way end; nothing is asked afterwards. */
  close(): Promise<void>;
}

/** Opens the way to the node at a URL. */
export type OpenRpc = (options: RpcOptions) => RpcTransport;

export interface RpcOptions {
  /** May hold credentials: no error and no log line ever contains more of it than the host. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Calls in one HTTP request. */
  readonly batchMax: number;
}

const answerSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number().default(-32000),
      message: z.string().default('no message'),
      data: z.unknown().optional(),
    })
    .nullish(),
});

type WireAnswer = z.infer<typeof answerSchema>;

/**
 * JSON-RPC over HTTP in batches. Everything that the chain is asked goes through here: ethers' own transport decodes the
 * answer to a batch of receipts 200 times slower.
 */
export class JsonRpc implements RpcTransport {
  readonly #options: RpcOptions;
  readonly #url: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json' };
  readonly #agent: Agent;
  #nextId = 1;
  readonly #underWay = new Set<AbortController>();
  #closing: Promise<void> | null = null;

  constructor(options: RpcOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const { username, password } = this.#url;
    if (username !== '' || password !== '') {
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.#headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
      this.#url.username = '';
      this.#url.password = '';
    }
    this.#agent = new Agent({ connections: 4, connectTimeout: options.timeoutMs });
  }

  /** The host, and nothing else of the URL. */
  get host(): string {
    return this.#url.host;
  }

  /**
   * Asks all at once. One answer per call, in the order of the calls, whatever the order of the node's.
   * @throws NodeUnreachable if the node does not answer
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const { batchMax } = this.#options;
    const parts: RpcCall[][] = [];
    for (let at = 0; at < calls.length; at += batchMax) parts.push(calls.slice(at, at + batchMax));
    const answers = await Promise.all(parts.map((part) => this.#one(part)));
    return answers.flat();
  }

  /** @throws NodeUnreachable if the node does not answer, NodeRefused if it answers with an error */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /** Gives up what is under way: to whoever asked, the node has not answered. */
  abort(): void {
    for (const controller of this.#underWay) controller.abort();
  }

  /** Lets what is under way end, then closes the connections. */
  close(): Promise<void> {
    this.#closing ??= this.#agent.close();
    return this.#closing;
  }

  async #one(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const messages = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: first + index, method, params }));
    const body = await this.#post(JSON.stringify(messages.length === 1 ? messages[0] : messages));
    const byId = answersById(body);
    const whole = body.length === 1 && body[0]?.error && body[0].id == null ? body[0] : undefined;
    return calls.map((call, index) => readAnswer(call, byId.get(first + index) ?? whole, this.host));
  }

  async #post(body: string): Promise<WireAnswer[]> {
    const controller = new AbortController();
    this.#underWay.add(controller);
    const timer = setTimeout(() => controller.abort(), this.#options.timeoutMs);
    try {
      const response = await request(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body,
        dispatcher: this.#agent,
        signal: controller.signal,
      });
      return readBody(await response.body.text(), response.statusCode, this.host);
    } catch (error) {
      if (error instanceof NodeUnreachable) throw error;
      throw new NodeUnreachable(`${this.host} does not answer: ${causeOf(error)}`);
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(controller);
    }
  }
}

/** The connections to the nodes at these URLs: over HTTP unless `open` says otherwise. */
export function openRpcs(
  urls: readonly string[],
  { rpcTimeoutMs: timeoutMs }: { readonly rpcTimeoutMs: number },
  batchMax: number,
  open: OpenRpc = (options) => new JsonRpc(options),
): RpcTransport[] {
  return urls.map((url) => open({ url, timeoutMs, batchMax }));
}

/** The result of an answer, or its error thrown. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new NodeUnreachable('the node left an answer out');
  if (!answer.ok) throw answer.error;
  return answer.result;
}

/** The same, and null where the node answers that it does not say, whichever words it has for that. */
export function shownIn(answer: RpcAnswer | undefined): unknown {
  return answer?.ok === false && answer.error instanceof NodeRefused ? null : resultOf(answer);
}

function readBody(text: string, status: number, host: string): WireAnswer[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new NodeUnreachable(`${host} answered with status ${status} and no JSON`);
  }
  const items: unknown[] = Array.isArray(json) ? json : [json];
  const parsed = items.flatMap((item) => answerSchema.safeParse(item).data ?? []);
  if (parsed.length === 0) throw new NodeUnreachable(`${host} answered with status ${status} and no JSON-RPC`);
  // Some gateways say "too many requests" in a JSON body: that is about the request, not about what was asked.
  if (status === 429 || status >= 500) throw new NodeUnreachable(`${host} answered with status ${status}`);
  return parsed;
}

/** By number. One that is answered twice, and not in the same way, has no answer. */
function answersById(body: readonly WireAnswer[]): Map<number, WireAnswer | undefined> {
  const byId = new Map<number, WireAnswer | undefined>();
  for (const answer of body) {
    const id = Number(answer.id);
    byId.set(id, byId.has(id) && !isDeepStrictEqual(byId.get(id), answer) ? undefined : answer);
  }
  return byId;
}

function readAnswer(call: RpcCall, answer: WireAnswer | undefined, host: string): RpcAnswer {
  // What has neither a result nor an error is no answer; a result of null is one.
  if (answer === undefined || (!answer.error && answer.result === undefined)) {
    return { ok: false, error: new NodeUnreachable(`${host} left out the answer to ${call.method}`) };
  }
  if (!answer.error) return { ok: true, result: answer.result };
  const { code, message, data } = answer.error;
  return { ok: false, error: new NodeRefused(call.method, code, message, hexIn(data), data) };
}

/** Nodes put revert data in `data`, or in the `data` of an object there. */
function hexIn(data: unknown, depth = 0): string | null {
  if (typeof data === 'string') return /^0x([0-9a-f]{2})*$/i.test(data) ? data : null;
  if (typeof data !== 'object' || data === null || depth > 3 || !('data' in data)) return null;
  return hexIn(data.data, depth + 1);
}

/** A code or name such as ECONNREFUSED or TimeoutError: messages of the transport may hold the URL. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}
