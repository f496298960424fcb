import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../observability/log.ts';
import { newRequestId } from './middleware/access-log.ts';
import { Standstill } from './standstill.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** How often those time-outs are checked. */
const TIMEOUT_CHECK_MS = 5_000;
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Log;
  /** Aborted when the server stops: requests that wait for an outcome answer with the known facts. */
  readonly stopping: AbortController;
}

export interface HttpServer {
  readonly port: number;
  /** No new connections; open requests finish, and the rest close after `deadlineMs`. Calls share one end. */
  stop(deadlineMs: number): Promise<void>;
}

/** Listens. Rejects with an error for people when the address is unavailable. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, log, stopping } = options;
  const server = createServer({
    requireHostHeader: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  });
  server.on('request', (request, response) => {
    if (stopping.signal.aborted) response.setHeader('Connection', 'close');
    app(request, response);
  });
  // Node answers an unknown `Expect` with 417; here the header has no meaning.
  server.on('checkExpectation', app);
  const standstill = new Standstill();
  standstill.start();
  server.on('close', () => standstill.stop());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (wasOurFault(error, standstill)) socket.destroy();
    else answerMalformed(error, socket);
  });
  const port = await listen(server, options);
  let stopped: Promise<void> | null = null;
  return {
    port,
    stop: (deadlineMs) => {
      stopped ??= stop(server, stopping, deadlineMs, log);
      return stopped;
    },
  };
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(explain(error, host, port), { cause: error }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      if (isAddressInfo(address)) resolve(address.port);
      else reject(new Error(`the HTTP server listens on ${String(address)}; a TCP port was expected`));
    });
  });
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another process. Set PORT to another one, or end that process.`;
    case 'EACCES':
      return `Port ${port} on ${host} is not allowed for this user. Set PORT to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is no address of this machine.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}

async function stop(server: Server, stopping: AbortController, deadlineMs: number, log: Log): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  stopping.abort();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => {
    log.warn({ deadlineMs }, 'requests were still open at the deadline of the shutdown; closing their connections');
    server.closeAllConnections();
  }, deadlineMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/** True if it timed out while this process could not read it. Closed, so that the client tries again. */
function wasOurFault({ code }: NodeJS.ErrnoException, standstill: Standstill): boolean {
  return code === REQUEST_TIMEOUT && standstill.within(REQUEST_TIMEOUT_MS + TIMEOUT_CHECK_MS);
}

/**
 * A request that is not valid HTTP (a broken request line, headers too large, a request that never ends) does not reach
 * the app. The answer is a 400 in the shape of every other error, because no other status is documented for it.
 */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: describeMalformed(error.code) });
  socket.end(
    [
      `HTTP/1.1 400 ${STATUS_CODES[400]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${newRequestId()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function describeMalformed(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'the headers are too large';
    case REQUEST_TIMEOUT:
      return 'the request did not end in time';
    default:
      return 'the request is not valid HTTP/1.1';
  }
}
