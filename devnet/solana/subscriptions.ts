import { createServer, type Server } from 'node:http';
import { isRecord, parseJson } from '../json.ts';
import type { LocalChain } from './local-chain.ts';
import { commitmentOf, optionsAt, type Params, textAt } from './params.ts';
import { RpcFault, rpcCodes } from './rpc-fault.ts';
import type { Commitment } from './slots.ts';
import { acceptWebSocket, type WebSocketPeer } from './web-socket.ts';

interface Subscription {
  readonly peer: WebSocketPeer;
  readonly signature: string;
  readonly commitment: Commitment;
}

/** Milliseconds between two checks for a result while a client waits for it. */
const CHECK_MS = 20;

/**
 * The WebSocket that the ordinary client opens one port above the RPC. It reports when a transaction reaches a
 * commitment. Without it, `confirmTransaction` takes a finalized transaction for an expired one. It does not listen
 * yet.
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
  const subscribe = (peer: WebSocketPeer, params: Params): number => {
    const commitment = commitmentOf(optionsAt(params, 1));
    open.set(nextId, { peer, signature: textAt(params, 0), commitment });
    timer ??= setInterval(check, CHECK_MS);
    nextId += 1;
    return nextId - 1;
  };
  const answer = (peer: WebSocketPeer, method: unknown, params: Params): unknown => {
    if (method === 'signatureSubscribe') return subscribe(peer, params);
    if (method === 'signatureUnsubscribe') return open.delete(Number(params[0]));
    throw new RpcFault(rpcCodes.unknownMethod, 'Method not found');
  };
  const server = createServer((_request, response) => response.writeHead(426).end());
  server.on('upgrade', (request, socket) => {
    acceptWebSocket(request, socket, {
      message: (text, peer) => reply(peer, parseJson(text), answer),
      close: (peer) => {
        for (const [id, subscription] of open) if (subscription.peer === peer) open.delete(id);
      },
    });
  });
  server.on('close', () => {
    if (timer) clearInterval(timer);
  });
  return server;
}

/** Notifications, such as the client's pings, have no id and get no answer. */
function reply(
  peer: WebSocketPeer,
  call: unknown,
  answer: (peer: WebSocketPeer, method: unknown, params: Params) => unknown,
): void {
  if (!isRecord(call) || call['id'] === undefined) return;
  const { id, method, params } = call;
  try {
    const result = answer(peer, method, Array.isArray(params) ? params : []);
    peer.send(JSON.stringify({ jsonrpc: '2.0', result, id }));
  } catch (error) {
    const { code, message } = error instanceof RpcFault ? error : new RpcFault(rpcCodes.internal, 'Internal error');
    peer.send(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }));
  }
}

function notifyIfThere(chain: LocalChain, id: number, { peer, signature, commitment }: Subscription): boolean {
  const record = chain.records.get(signature);
  if (!record || !chain.isAt(record, commitment)) return false;
  const result = { context: { slot: record.slot }, value: { err: record.err } };
  const params = { result, subscription: id };
  peer.send(JSON.stringify({ jsonrpc: '2.0', method: 'signatureNotification', params }));
  return true;
}
