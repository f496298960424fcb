import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { RpcFault } from '../../../devnet/solana/rpc-fault.ts';
import { close, listen } from '../../../stage/loopback.ts';

/** A node on loopback whose answers a test gives. An `RpcFault` is an error of the node. */
export interface JsonRpcNode {
  readonly url: string;
  stop(): Promise<void>;
}

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

const callSchema = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
type Call = z.infer<typeof callSchema>;

export async function startJsonRpcNode(ask: Ask): Promise<JsonRpcNode> {
  const server = createServer((incoming, outgoing) => {
    answer(ask, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, stop: () => close(server) };
}

async function answer(ask: Ask, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body: unknown = await json(incoming);
  const calls = z.array(callSchema).parse(Array.isArray(body) ? body : [body]);
  const answers = await Promise.all(calls.map((call) => answerOne(ask, call)));
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
}

async function answerOne(ask: Ask, { id, method, params }: Call): Promise<object> {
  try {
    return { jsonrpc: '2.0', id, result: (await ask(method, params)) ?? null };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}
