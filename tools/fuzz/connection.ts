import { connect, type Socket } from 'node:net';

export interface Bytes {
  readonly bytes: Buffer;
  /** The client closes its half of the connection after these bytes. */
  readonly isLast: boolean;
  /** The answer has no body. */
  readonly isHead: boolean;
  /** True if the connection can be used again after the answer. */
  readonly isSound: boolean;
}

/** An answer; its head has one character per byte. */
export interface Exchange {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly ms: number;
}

/** `closed`: the server closed the connection before the end of an answer. */
export type Outcome =
  | { readonly kind: 'answered'; readonly exchange: Exchange }
  | { readonly kind: 'closed'; readonly got: string }
  | { readonly kind: 'late'; readonly ms: number };

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * An HTTP/1.1 connection, opened again when it ends. It sends exactly the given bytes, which no client library would
 * do, one request at a time.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Never rejects, whatever the server does. */
  async send(request: Bytes, deadlineMs: number): Promise<Outcome> {
    const kept = this.#socket;
    const first = await this.#attempt(request, deadlineMs);
    // The server may have closed an idle connection before it saw this request.
    const isStale = kept !== null && first.kind === 'closed' && first.got === '' && request.isSound;
    return isStale ? this.#attempt(request, deadlineMs) : first;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #attempt(request: Bytes, deadlineMs: number): Promise<Outcome> {
    const startedAt = performance.now();
    const socket = this.#socket ?? connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
    this.#socket = socket;
    const got = await received(socket, request, deadlineMs);
    const ms = performance.now() - startedAt;
    if (got.kind === 'late') {
      this.close();
      return { kind: 'late', ms };
    }
    const exchange = got.kind === 'whole' ? exchangeOf(got.bytes, ms) : null;
    const closes =
      exchange?.headers.some(([name, value]) => /^connection$/i.test(name) && /close/i.test(value)) ?? true;
    if (closes || !request.isSound || request.isLast) this.close();
    if (exchange === null) return { kind: 'closed', got: got.bytes.subarray(0, 200).toString('latin1') };
    return { kind: 'answered', exchange };
  }
}

/** One function for all requests of a connection, so that `off` finds it and a socket never has it twice. */
const ignore = (): void => undefined;

type Got = { readonly kind: 'whole' | 'closed'; readonly bytes: Buffer } | { readonly kind: 'late' };

function received(socket: Socket, request: Bytes, deadlineMs: number): Promise<Got> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const timer = setTimeout(() => end({ kind: 'late' }), deadlineMs);
    const take = (chunk: Buffer): void => {
      bytes = withoutInterim(Buffer.concat([bytes, chunk]));
      if (isWhole(bytes, request.isHead)) end({ kind: 'whole', bytes });
    };
    const closed = (): void => end({ kind: isWhole(bytes, request.isHead, true) ? 'whole' : 'closed', bytes });
    const end = (got: Got): void => {
      clearTimeout(timer);
      socket.off('data', take).off('end', closed).off('close', closed);
      resolve(got);
    };
    // `close` follows an error. A later error must not be unhandled.
    socket.off('error', ignore).on('error', ignore);
    socket.on('data', take).on('end', closed).on('close', closed);
    if (request.isLast) socket.end(request.bytes);
    else socket.write(request.bytes);
  });
}

/** Drops interim answers such as `100 Continue`; the final answer follows them. */
function withoutInterim(bytes: Buffer): Buffer {
  const end = bytes.indexOf(HEAD_END);
  const isInterim = end >= 0 && /^HTTP\/1\.1 1\d\d /.test(bytes.subarray(0, 14).toString('latin1'));
  return isInterim ? withoutInterim(bytes.subarray(end + HEAD_END.length)) : bytes;
}

function isWhole(bytes: Buffer, isHead: boolean, isEnd = false): boolean {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  if (isHead) return true;
  if (length === undefined) return isEnd;
  return bytes.length >= end + HEAD_END.length + Number(length);
}

/** null: this is not HTTP. */
function exchangeOf(bytes: Buffer, ms: number): Exchange | null {
  const end = bytes.indexOf(HEAD_END);
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (status === undefined) return null;
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const length = Number(headers.find(([name]) => /^content-length$/i.test(name))?.[1] ?? Number.MAX_SAFE_INTEGER);
  const start = end + HEAD_END.length;
  return { status: Number(status), headers, body: bytes.subarray(start, start + length), ms };
}
