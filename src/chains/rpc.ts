import { isDeepStrictEqual } from 'node:util';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { chunksOf } from './chain-reader.ts';
import { LearnedSize } from './learned-size.ts';
import { classify, quoted, type Verdict } from './node-errors.ts';

/** One node, or several nodes of one chain. */
export interface RpcNode {
  /** One answer per call, in the order of the calls. @throws NodeUnreachable if no node answers */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /** @throws NodeUnreachable if no node answers, NodeRefused if the answer is an error */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Time-out, connection, HTTP status, no JSON-RPC, or an error of the moment: it says nothing about the question. */
export class NodeUnreachable extends Error {
  /** True if the node only lacks the blocks that this call is about, and answers other calls. */
  readonly isBehind: boolean;

  constructor(message: string, isBehind = false) {
    super(message);
    this.name = 'NodeUnreachable';
    this.isBehind = isBehind;
  }
}

/** The subject of a node's error that is not about the moment. */
export type RefusalVerdict = Exclude<Verdict, { about: 'moment' }>;

const REFUSED: RefusalVerdict = { about: 'call', why: 'other' };

/** A node's error about this call, or its size (`verdict`). `data`: revert data (0x-hex); `detail`: all of it. */
export class NodeRefused extends Error {
  readonly code: number;
  readonly data: string | null;
  readonly detail: unknown;
  readonly verdict: RefusalVerdict;

  constructor(
    method: string,
    code: number,
    message: string,
    data: string | null,
    detail: unknown = data,
    verdict: RefusalVerdict = data === null ? REFUSED : { about: 'call', why: 'reverted' },
  ) {
    super(`${method}: ${message} (${code})`);
    this.name = 'NodeRefused';
    this.code = code;
    this.data = data;
    this.detail = detail;
    this.verdict = verdict;
  }

  /** The call ran, and reverted. */
  get isRevert(): boolean {
    return this.verdict.about === 'call' && this.verdict.why === 'reverted';
  }
}

/** The answer to one call of a batch. An answer that the node left out is `NodeUnreachable`. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeRefused | NodeUnreachable };

export interface RpcTransport extends RpcNode {
  /** Names the node to people; it holds no secret. */
  readonly host: string;
  /** Aborts requests that are under way: their callers get `NodeUnreachable`. */
  abort(): void;
  /** Lets requests under way end. Nothing can be asked afterwards. */
  close(): Promise<void>;
}

/** Opens the connection to the node at a URL. */
export type OpenRpc = (options: RpcOptions) => RpcTransport;

export interface RpcOptions {
  /** May hold credentials: errors and log lines contain nothing of it but the host. */
  readonly url: string;
  readonly timeoutMs: number;
  /** The most calls in one HTTP request, unless the node takes fewer. */
  readonly batchMax: number;
  /** Gets the time of the node's server, with each answer that names it. */
  readonly onDate?: (date: Date) => void;
}

const errorSchema = z.object({
  code: z.coerce.number().catch(-32000),
  message: z.string().catch('no message'),
  data: z.unknown().optional(),
});

/** Some gateways send a text as `error`, or the error in place of the answer. */
const answerSchema = z.preprocess(
  (answer) => (isBareError(answer) ? { error: answer } : answer),
  z.object({
    id: z.union([z.number(), z.string(), z.null()]).optional(),
    result: z.unknown().optional(),
    error: z.preprocess((error) => (typeof error === 'string' ? { message: error } : error), errorSchema.nullish()),
  }),
);

type WireAnswer = z.infer<typeof answerSchema>;

function isBareError(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('message' in answer)) return false;
  return !('result' in answer) && !('error' in answer) && typeof answer.message === 'string';
}

/** The answer to one HTTP request. */
interface Reply {
  readonly status: number;
  /** The JSON-RPC answers in the body; empty if it holds none. */
  readonly answers: readonly WireAnswer[];
  readonly isList: boolean;
  readonly text: string;
}

/** JSON-RPC over HTTP in batches. The transport of ethers decodes a batch of receipts 200 times slower. */
export class JsonRpc implements RpcTransport {
  readonly #options: RpcOptions;
  /** The address of requests, without credentials; those are in the headers. */
  readonly #url: URL;
  /** The configured URL. Its secret parts are never quoted. */
  readonly #secret: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json' };
  readonly #agent: Agent;
  readonly #size: LearnedSize;
  #nextId = 1;
  readonly #underWay = new Set<AbortController>();
  #closing: Promise<void> | null = null;

  constructor(options: RpcOptions) {
    this.#options = options;
    this.#size = new LearnedSize(options.batchMax);
    this.#url = new URL(options.url);
    this.#secret = new URL(options.url);
    const { username, password } = this.#url;
    if (username !== '' || password !== '') {
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.#headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
      this.#url.username = '';
      this.#url.password = '';
    }
    this.#agent = new Agent({ connections: 4, connectTimeout: options.timeoutMs });
  }

  /** The host, and no other part of the URL. */
  get host(): string {
    return this.#url.host;
  }

  /**
   * Asks all calls at once. One answer per call, in the order of the calls; the node may answer in another order. If a
   * request is too large for the node, smaller ones follow, and their size is remembered.
   * @throws NodeUnreachable if the node does not answer
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const parts = chunksOf(calls, this.#size.now);
    const answers = await Promise.all(parts.map((part) => this.#one(part)));
    return answers.flat();
  }

  /** @throws NodeUnreachable if the node does not answer, NodeRefused if it answers with an error */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /** Aborts requests that are under way: their callers get `NodeUnreachable`. */
  abort(): void {
    for (const controller of this.#underWay) controller.abort();
  }

  /** Lets requests under way end, then closes the connections. */
  close(): Promise<void> {
    this.#closing ??= this.#agent.close();
    return this.#closing;
  }

  async #one(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const messages = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: first + index, method, params }));
    const reply = await this.#post(JSON.stringify(messages.length === 1 ? messages[0] : messages));
    const answers = this.#read(calls, first, reply);
    return calls.length > 1 && answers.some(asksForFewer) ? this.#again(calls, answers) : answers;
  }

  /**
   * Repeats the calls of a request that was too large: first a smaller request and, once the node takes that, the rest
   * in such parts.
   * @throws NodeUnreachable if the node says the same of a single call: then the size was not the cause
   */
  async #again(calls: readonly RpcCall[], answers: readonly RpcAnswer[]): Promise<RpcAnswer[]> {
    const open = calls.flatMap((_, index) => (isOpen(answers[index]) ? [index] : []));
    const size = Math.min(Math.floor(calls.length / 2), this.#size.now);
    const [head, rest] = [open.slice(0, size), open.slice(size)].map((part) => part.flatMap((at) => calls[at] ?? []));
    const found = await this.#one(head ?? []);
    const refusal = answers.find(asksForFewer);
    const [only] = found;
    if (only?.ok === false && head?.length === 1) {
      if (isUnanswered(only)) throw only.error;
      if (isSame(only, refusal)) throw new NodeUnreachable(this.#wordsOf(only));
    }
    if (!found.some(asksForFewer)) this.#size.learn(size);
    found.push(...(await this.batch(rest ?? [])));
    const byIndex = new Map(open.map((at, index) => [at, found[index]]));
    return answers.map((answer, index) => byIndex.get(index) ?? answer);
  }

  #wordsOf({ error }: { readonly error: Error }): string {
    return `${this.host} refuses requests of any size: ${error.message}`;
  }

  #read(calls: readonly RpcCall[], first: number, reply: Reply): RpcAnswer[] {
    const { status, answers, isList } = reply;
    if (answers.length === 0) return this.#readText(calls, reply);
    const byId = answersById(answers);
    const whole = wholeOf(
      calls.length,
      answers,
      isList,
      (id) => byId.has(id) && id >= first && id < first + calls.length,
    );
    if (whole?.error && this.#verdictOf(whole.error, status).about === 'moment') {
      throw new NodeUnreachable(this.#quote(status, whole.error.message, whole.error.code));
    }
    return calls.map((call, index) => {
      const answer = byId.get(first + index);
      const own = answer?.error || whole === undefined ? answer : whole;
      return this.#readAnswer(call, own, status, { isWhole: own === whole, asked: calls.length });
    });
  }

  /** A body without JSON-RPC is no answer, unless it says that the request was too large. */
  #readText(calls: readonly RpcCall[], { status, text }: Reply): RpcAnswer[] {
    const verdict = classify({ status, code: null, message: text, hasData: false });
    if (verdict.about !== 'request') throw new NodeUnreachable(this.#quote(status, text, null));
    const words = quoted(text, this.#secret);
    return calls.map(({ method }) => {
      return { ok: false, error: new NodeRefused(method, status, words, null, null, verdict) };
    });
  }

  /** `isWhole`: the error answers a whole batch, so it is not about this one call, whatever it says. */
  #readAnswer(
    call: RpcCall,
    answer: WireAnswer | undefined,
    status: number,
    { isWhole, asked }: { readonly isWhole: boolean; readonly asked: number },
  ): RpcAnswer {
    // An answer has an error or a result (null is one). The results of a failed request do not count.
    if (answer === undefined || (!answer.error && (answer.result === undefined || isFailure(status)))) {
      return { ok: false, error: new NodeUnreachable(`${this.host} left out the answer to ${call.method}`) };
    }
    if (!answer.error) return { ok: true, result: answer.result };
    const { code, message, data } = answer.error;
    const verdict = this.#verdictOf(answer.error, status);
    if (verdict.about === 'moment') {
      const quote = this.#quote(status, `${call.method}: ${message}`, code);
      return { ok: false, error: new NodeUnreachable(quote, verdict.isBehind) };
    }
    if (asked === 1 && verdict.about === 'request' && verdict.tooMuch === 'calls') {
      // No request can have fewer calls than one.
      return { ok: false, error: new NodeUnreachable(this.#quote(status, message, code)) };
    }
    const meant: RefusalVerdict = isWhole && asked > 1 && verdict.about === 'call' ? FEWER : verdict;
    const words = quoted(message, this.#secret);
    return { ok: false, error: new NodeRefused(call.method, code, words, hexIn(data), data, meant) };
  }

  #verdictOf({ code, message, data }: z.infer<typeof errorSchema>, status: number): Verdict {
    return classify({ status, code, message, hasData: hexIn(data) !== null });
  }

  #quote(status: number, text: string, code: number | null): string {
    const words = quoted(text, this.#secret);
    const kind = code === null ? ' without JSON-RPC' : '';
    return `${this.host} answered with status ${status}${kind}: ${words === '' ? 'no message' : words}${code === null ? '' : ` (${code})`}`;
  }

  async #post(body: string): Promise<Reply> {
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
      const { date } = response.headers;
      if (typeof date === 'string') this.#options.onDate?.(new Date(date));
      return readBody(await response.body.text(), response.statusCode);
    } catch (error) {
      throw new NodeUnreachable(`${this.host} does not answer: ${causeOf(error)}`);
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(controller);
    }
  }
}

/** Opens the connections to the nodes at these URLs: over HTTP, unless `open` is given. */
export function openRpcs(
  urls: readonly string[],
  { rpcTimeoutMs: timeoutMs }: { readonly rpcTimeoutMs: number },
  batchMax: number,
  open: OpenRpc = (options) => new JsonRpc(options),
): RpcTransport[] {
  return urls.map((url) => open({ url, timeoutMs, batchMax }));
}

/** The result of an answer. Throws its error. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new NodeUnreachable('the node left out an answer');
  if (!answer.ok) throw answer.error;
  return answer.result;
}

/** As `resultOf`, but null if the node refuses the call, in whatever words. */
export function shownIn(answer: RpcAnswer | undefined): unknown {
  return isRefusal(answer) ? null : resultOf(answer);
}

/** True if the answer refuses the call itself: the node refuses it again, even if asked for less. */
export function isRefusal(
  answer: RpcAnswer | undefined,
): answer is { readonly ok: false; readonly error: NodeRefused & { readonly verdict: Verdict & { about: 'call' } } } {
  return answer?.ok === false && answer.error instanceof NodeRefused && answer.error.verdict.about === 'call';
}

/** True if the node lacks the block that a call is about: another node may have it, or this one a moment later. */
export function lacksBlock(error: unknown): boolean {
  if (error instanceof NodeUnreachable) return error.isBehind;
  return error instanceof NodeRefused && error.verdict.about === 'call' && error.verdict.why === 'no_block';
}

/** Null for such an error. Throws any other. */
export function nullIfWithoutBlock(error: unknown): null {
  if (lacksBlock(error)) return null;
  throw error;
}

/** Null if no node answered. Throws any other error. */
export function nullIfUnreachable(error: unknown): null {
  if (error instanceof NodeUnreachable) return null;
  throw error;
}

export function isUnanswered(answer: RpcAnswer): answer is { readonly ok: false; readonly error: NodeUnreachable } {
  return !answer.ok && answer.error instanceof NodeUnreachable;
}

const FEWER: RefusalVerdict = { about: 'request', tooMuch: 'calls' };

/** True if the node refuses this number of calls in one request. */
function asksForFewer(answer: RpcAnswer): boolean {
  if (answer.ok || !(answer.error instanceof NodeRefused)) return false;
  const { verdict } = answer.error;
  return verdict.about === 'request' && (verdict.tooMuch === 'calls' || verdict.tooMuch === 'either');
}

/** True if the call must be repeated in a smaller request. A node may leave out the answers above its limit. */
function isOpen(answer: RpcAnswer | undefined): boolean {
  return answer === undefined || asksForFewer(answer) || isUnanswered(answer);
}

/** True if the node refused a single call in the same words as too many calls. */
function isSame({ error }: { readonly error: Error }, other: RpcAnswer | undefined): boolean {
  if (!(error instanceof NodeRefused) || other?.ok !== false || !(other.error instanceof NodeRefused)) return false;
  const { verdict } = other.error;
  if (verdict.about !== 'request' || verdict.tooMuch !== 'calls') return false;
  return error.code === other.error.code && reasonIn(error) === reasonIn(other.error);
}

function reasonIn({ message }: NodeRefused): string {
  return message.slice(message.indexOf(': '));
}

/** A request with this status failed as a whole: its results do not count. */
function isFailure(status: number): boolean {
  return status === 429 || status >= 500;
}

function readBody(text: string, status: number): Reply {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { status, answers: [], isList: false, text };
  }
  const items: unknown[] = Array.isArray(json) ? json : [json];
  const answers = items.flatMap((item) => answerSchema.safeParse(item).data ?? []);
  return { status, answers, isList: Array.isArray(json), text };
}

/** The error that answers the whole request: it came alone in place of a list, or for no call of the request. */
function wholeOf(
  asked: number,
  answers: readonly WireAnswer[],
  isList: boolean,
  isOurs: (id: number) => boolean,
): WireAnswer | undefined {
  const [first] = answers;
  if (!first?.error) return undefined;
  if (asked > 1 && !isList) return first;
  const isForNobody = answers.every(({ id, error }) => error && (id == null || !isOurs(Number(id))));
  return isForNobody && (asked > 1 || first.id == null) ? first : undefined;
}

/** The answers by id. An id with two different answers has none. */
function answersById(body: readonly WireAnswer[]): Map<number, WireAnswer | undefined> {
  const byId = new Map<number, WireAnswer | undefined>();
  for (const answer of body) {
    const id = Number(answer.id);
    byId.set(id, byId.has(id) && !isDeepStrictEqual(byId.get(id), answer) ? undefined : answer);
  }
  return byId;
}

/** Nodes put revert data in `data`, or in the `data` of an object there. */
function hexIn(data: unknown, depth = 0): string | null {
  if (typeof data === 'string') return /^0x([0-9a-f]{2})*$/i.test(data) ? data : null;
  if (typeof data !== 'object' || data === null || depth > 3 || !('data' in data)) return null;
  return hexIn(data.data, depth + 1);
}

/** A code or name such as ECONNREFUSED or TimeoutError: the transport's messages may hold the URL. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}
