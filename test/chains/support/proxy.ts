import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { z } from 'zod';
import { close, listen } from '../../../stage/loopback.ts';

export interface Called {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * A proxy's treatment of a request: pass it on, drop it, pass it on and drop the answer, or pass it on and never
 * answer.
 */
type Treatment = 'pass' | 'drop' | 'swallow' | 'hang';

/** The answer to one call. */
export interface Answered {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** A provider's own answer to a request. */
export interface Refused {
  readonly status: number;
  readonly body: unknown;
}

/** An unreliable node in front of a reliable one. */
export interface RpcProxy {
  readonly url: string;
  /** Called for every request, which may contain several calls. */
  treat: (calls: readonly Called[]) => Treatment;
  /** Answers a request itself; null: it goes to `treat`. */
  refuse: (calls: readonly Called[]) => Refused | null;
  /** The call to pass on instead; null: none, and `rewriteOne` gets null as its answer. */
  replace: (call: Called) => Called | null;
  /** May change one answer; `call` is the original call. */
  rewriteOne: (answer: Answered, call: Called) => Answered;
  /** May change the answers (a list for several calls). */
  rewrite: (answer: unknown, calls: readonly Called[]) => unknown;
  /** From now on calls of this method get this result or error; the node gets them all the same. */
  answer(method: string, given: Answered | ((answer: Answered, call: Called) => Answered)): void;
  /** Passes everything on again, unchanged. */
  heal(): void;
  /** True: requests that send a transaction are dropped. */
  dropsBroadcasts: boolean;
  readonly seen: Called[];
  stop(): Promise<void>;
}

const BROADCASTS = ['eth_sendRawTransaction', 'sendTransaction'];

/** True if the call sends a transaction, on a chain of any family. */
export function isBroadcast({ method }: Called): boolean {
  return BROADCASTS.includes(method);
}

/** Refuses calls of this method above `most`, as free plans do, and counts them. */
export function refuseAbove(
  proxy: RpcProxy,
  { method, most, message }: { readonly method: string; readonly most: number; readonly message: string },
): { count: number } {
  const refused = { count: 0 };
  proxy.replace = (call) => (call.method === method && amountOf(call) > most ? null : call);
  proxy.rewriteOne = (answer, call) => {
    if (call.method !== method || amountOf(call) <= most) return answer;
    refused.count += 1;
    return { error: { code: -32600, message } };
  };
  return refused;
}

/** The number of blocks, or of the list's members. */
function amountOf({ params: [first] }: Called): number {
  if (Array.isArray(first)) return first.length;
  const { fromBlock, toBlock } = z.object({ fromBlock: z.string(), toBlock: z.string() }).parse(first);
  return Number(toBlock) - Number(fromBlock) + 1;
}

const wireCall = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
type WireCall = z.infer<typeof wireCall>;
const answered = z.looseObject({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

export async function startProxy(target: string): Promise<RpcProxy> {
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const port = await listen(server);
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${port}`,
    treat: () => 'pass',
    refuse: () => null,
    replace: (call) => call,
    rewriteOne: (answer) => answer,
    rewrite: (answer) => answer,
    seen: [],
    dropsBroadcasts: false,
    answer(method, given) {
      proxy.rewriteOne = (answer, call) => {
        if (call.method !== method) return answer;
        return typeof given === 'function' ? given(answer, call) : given;
      };
    },
    heal() {
      proxy.treat = () => 'pass';
      proxy.replace = (call) => call;
      proxy.rewriteOne = (answer) => answer;
      proxy.rewrite = (answer) => answer;
      proxy.dropsBroadcasts = false;
    },
    stop: () => close(server),
  };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const json: unknown = JSON.parse(body);
    const calls = z.array(wireCall).parse(Array.isArray(json) ? json : [json]);
    proxy.seen.push(...calls);
    const refused = proxy.refuse(calls);
    if (refused !== null) {
      outgoing.writeHead(refused.status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(refused.body));
      return;
    }
    const treatment = proxy.dropsBroadcasts && calls.some(isBroadcast) ? 'drop' : proxy.treat(calls);
    if (treatment === 'drop') {
      incoming.socket.destroy();
      return;
    }
    const answers = await askFor(calls);
    if (treatment === 'hang') return;
    if (treatment === 'swallow') {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(proxy.rewrite(Array.isArray(json) ? answers : answers[0], calls)));
  }

  /** Passes these calls on in one request; one answer per call, in order. */
  async function askFor(calls: readonly WireCall[]): Promise<Answered[]> {
    const passed = calls.flatMap((call) => {
      const replaced = proxy.replace(call);
      return replaced === null
        ? []
        : [{ jsonrpc: '2.0', id: call.id, method: replaced.method, params: replaced.params }];
    });
    const byId = new Map<unknown, Answered>();
    if (passed.length > 0) {
      const headers = { 'content-type': 'application/json' };
      const answer = await request(target, { method: 'POST', headers, body: JSON.stringify(passed) });
      const body: unknown = JSON.parse(await answer.body.text());
      for (const each of z.array(answered).parse(Array.isArray(body) ? body : [body])) byId.set(each.id, each);
    }
    return calls.map((call) => {
      const answer = byId.get(call.id) ?? { jsonrpc: '2.0', id: call.id, result: null };
      return { ...proxy.rewriteOne(answer, call), id: call.id };
    });
  }
  return proxy;
}
