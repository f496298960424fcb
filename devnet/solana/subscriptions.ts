import { createServer, type Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { isRecord, parseJson } from '../json.ts';
import type { LocalChain } from './local-chain.ts';
import { commitmentOf, optionsAt, type Params, textAt } from './params.ts';
import { RpcFault, rpcCodes } from './rpc-fault.ts';
import type { Commitment } from './slots.ts';

interface Subscription {
  readonly client: WebSocket;
  readonly signature: string;
  readonly commitment: Commitment;
}

/** The bytes of the longest message that a client may send. */
const MESSAGE_MOST = 65_536;

/** Milliseconds between two checks for a result while a client waits for it. */
const CHECK_MS = 20;

/**
 * The WebSocket that the ordinary client opens one port above the RPC. It reports commitments; without it,
 * `confirmTransaction` takes a finalized transaction for an expired one. It does not listen yet.
 */
export function createSubscriptionServer(chain: LocalChain): Server {
  const open = new Map<number, Subscription>();
  let nextId = 1;
  let timer: NodeJS.Timeout | null = null;
  const check = (): void => {
    for (const [id, subscription] of open) if (notifyIfThere(chain, id, subscription)) open.delete(id);
    if (open.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
  const subscribe = (client: WebSocket, params: Params): number => {
    const commitment = commitmentOf(optionsAt(params, 1));
    open.set(nextId, { client, signature: textAt(params, 0), commitment });
    timer ??= setInterval(check, CHECK_MS);
    nextId += 1;
    return nextId - 1;
  };
  const answer = (client: WebSocket, method: unknown, params: Params): unknown => {
    if (method === 'signatureSubscribe') return subscribe(client, params);
    if (method === 'signatureUnsubscribe') return open.delete(Number(params[0]));
    throw new RpcFault(rpcCodes.unknownMethod, 'Method not found');
  };
  const serve = (client: WebSocket): void => {
    client.on('message', (text) => reply(client, parseJson(String(text)), answer));
    client.on('error', () => client.terminate());
    client.on('close', () => {
      for (const [id, subscription] of open) if (subscription.client === client) open.delete(id);
    });
  };
  const server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MOST });
  server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, serve));
  server.on('close', () => {
    if (timer) clearInterval(timer);
  });
  return server;
}

/** Notifications, such as the client's pings, have no id and get no answer. */
function reply(
  client: WebSocket,
  call: unknown,
  answer: (client: WebSocket, method: unknown, params: Params) => unknown,
): void {
  if (!isRecord(call) || call['id'] === undefined) return;
  const { id, method, params } = call;
  try {
    const result = answer(client, method, Array.isArray(params) ? params : []);
    client.send(JSON.stringify({ jsonrpc: '2.0', result, id }));
  } catch (error) {
    const { code, message } = error instanceof RpcFault ? error : new RpcFault(rpcCodes.internal, 'Internal error');
    client.send(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }));
  }
}

function notifyIfThere(chain: LocalChain, id: number, { client, signature, commitment }: Subscription): boolean {
  const record = chain.records.get(signature);
  if (!record || !chain.isAt(record, commitment)) return false;
  const result = { context: { slot: record.slot }, value: { err: record.err } };
  const params = { result, subscription: id };
  client.send(JSON.stringify({ jsonrpc: '2.0', method: 'signatureNotification', params }));
  return true;
}
