import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The constant of RFC 6455 that follows the client's key. */
const PROTOCOL_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const MESSAGE_MOST = 65_536;
/** The close reason 1002. */
const PROTOCOL_ERROR = Buffer.from([3, 234]);

/** The client of a WebSocket connection: text messages in both directions. */
export interface WebSocketPeer {
  send(text: string): void;
}

/**
 * Turns an HTTP connection into a WebSocket. It accepts only messages of one frame up to 64 KB, as clients of Solana's
 * subscriptions send them. Anything else closes the connection.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  on: { readonly message: (text: string, peer: WebSocketPeer) => void; readonly close: (peer: WebSocketPeer) => void },
): void {
  const key = request.headers['sec-websocket-key'];
  if (key === undefined) {
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  const accept = createHash('sha1').update(`${key}${PROTOCOL_GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const peer: WebSocketPeer = {
    send: (text) => {
      if (socket.writable) socket.write(frame(TEXT, Buffer.from(text)));
    },
  };
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let read = readFrame(rest); read !== null; read = readFrame(rest)) {
      if (read === 'broken' || read.opcode === CLOSE) {
        // Returns the client's own close reason, because without it the client takes the close for an error.
        socket.end(frame(CLOSE, read === 'broken' ? PROTOCOL_ERROR : read.payload));
        return;
      }
      rest = rest.subarray(read.length);
      if (read.opcode === PING) socket.write(frame(PONG, read.payload));
      if (read.opcode === TEXT) on.message(read.payload.toString('utf8'), peer);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => on.close(peer));
}

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  /** The length of the whole frame, bytes. */
  readonly length: number;
}

/** The first complete frame of the bytes; null: it is incomplete. Clients mask their payload. */
function readFrame(bytes: Buffer): Frame | 'broken' | null {
  if (bytes.length < 2) return null;
  const [head = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const isWhole = (head & 0x80) !== 0;
  const isMasked = (second & 0x80) !== 0;
  if (!isWhole || !isMasked || short === 127) return 'broken';
  const maskAt = short === 126 ? 4 : 2;
  if (bytes.length < maskAt + 4) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = maskAt + 4 + size;
  if (size > MESSAGE_MOST) return 'broken';
  if (bytes.length < end) return null;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end));
  for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % 4] ?? 0);
  return { opcode: head & 0x0f, payload, length: end };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) head[1] = payload.length;
  else {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}
