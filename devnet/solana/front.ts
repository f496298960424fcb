import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '../../src/errors/message-of.ts';
import { isRecord, parseJson } from '../json.ts';
import { callMethod, type MethodContext } from './methods.ts';
import { RpcFault, rpcCodes } from './rpc-fault.ts';

const BODY_MOST = 2_000_000;

/** The JSON-RPC of a Solana node over HTTP, for the local chain: single calls and batches. It does not listen yet. */
export function createFront(context: MethodContext): Server {
  return createServer((request, response) => {
    answer(context, request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, { error: messageOf(error) });
      else response.destroy();
    });
  });
}

async function answer(context: MethodContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A page with a wallet calls from its own origin.
  response.setHeader('access-control-allow-origin', '*');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { 'access-control-allow-headers': '*', 'access-control-max-age': '86400' }).end();
    return;
  }
  if (request.method === 'GET' && request.url === '/health') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const body = await read(request);
  if (body === null) return send(response, 413, { error: 'Payload Too Large' });
  const calls = parseJson(body);
  if (calls === undefined) return send(response, 200, fault(null, new RpcFault(rpcCodes.parse, 'Parse error')));
  send(response, 200, Array.isArray(calls) ? calls.map((call) => reply(context, call)) : reply(context, calls));
}

function reply(context: MethodContext, call: unknown): object {
  if (!isRecord(call) || typeof call['method'] !== 'string') {
    return fault(null, new RpcFault(rpcCodes.invalidRequest, 'Invalid request'));
  }
  const { id = null, method, params } = call;
  try {
    return { jsonrpc: '2.0', result: callMethod(context, method, Array.isArray(params) ? params : []) ?? null, id };
  } catch (error) {
    return fault(id, error);
  }
}

function fault(id: unknown, error: unknown): object {
  const { code, message, data } =
    error instanceof RpcFault ? error : new RpcFault(rpcCodes.internal, `Internal error: ${messageOf(error)}`);
  return { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

/** Null: the body is too long. */
async function read(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > BODY_MOST) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
