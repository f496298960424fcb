import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** What MongoDB's wire protocol carries: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const MORE_TO_COME = 1 << 1;
const EXHAUST_ALLOWED = 1 << 16;

export interface Request {
  readonly id: number;
  /** The driver's first greeting has an older form, whose answer must have it too. */
  readonly form: 'message' | 'query';
  /** The first key is the name of the command. */
  readonly command: Document;
  readonly name: string;
  /** The client takes several answers to this request. */
  readonly exhaustAllowed: boolean;
  /** The message as it came. */
  readonly bytes: Buffer;
}

/** An answer of a server, not yet parsed. */
export interface Answer {
  readonly to: number;
  readonly bytes: Buffer;
}

/** Calls `take` for each whole request that arrives. */
export function onRequests(socket: Socket, take: (request: Request) => void): void {
  onMessages(socket, (bytes) => take(requestIn(bytes)));
}

/** Calls `take` for each whole answer that arrives. */
export function onAnswers(socket: Socket, take: (answer: Answer) => void): void {
  onMessages(socket, (bytes) => take({ to: bytes.readInt32LE(8), bytes }));
}

/** The document of an answer. Numbers keep their BSON types, so it can be sent on. */
export function documentIn({ bytes }: Answer): Document {
  const at = HEADER_BYTES + (bytes.readInt32LE(12) === OP_REPLY ? queryStart() : messageStart(false)).length;
  return BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), EXACT);
}

/** Numbers keep their BSON types. */
const EXACT: BSON.DeserializeOptions = { promoteLongs: false, promoteValues: false };

/** The command of a request as it came, for `requestOf`. */
export function exactCommandIn(bytes: Buffer): Document {
  return commandIn(bytes, EXACT);
}

/** A request of the newer form, with this command. */
export function requestOf(id: number, command: Document): Buffer {
  return answerTo({ id: 0, form: 'message' }, id, command);
}

/** An answer to `request`. With `more`, another one follows. */
export function answerTo(request: Pick<Request, 'id' | 'form'>, id: number, document: Document, more = false): Buffer {
  const body = BSON.serialize(document);
  const before = request.form === 'message' ? messageStart(more) : queryStart();
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + body.length, 0);
  header.writeInt32LE(id, 4);
  header.writeInt32LE(request.id, 8);
  header.writeInt32LE(request.form === 'message' ? OP_MSG : OP_REPLY, 12);
  return Buffer.concat([header, before, body]);
}

/** Connects to the first server of a connection string: a socket file, or host and port. */
export function upstreamOf(uri: string): () => Socket {
  const host = /^mongodb:\/\/([^/?]+)/.exec(uri)?.[1];
  if (host === undefined) throw new Error(`no host in ${uri}`);
  const decoded = decodeURIComponent(host);
  if (decoded.endsWith('.sock')) return () => connect(decoded);
  const [name = '127.0.0.1', port = '27017'] = decoded.split(':');
  return () => connect(Number(port), name);
}

function requestIn(bytes: Buffer): Request {
  const id = bytes.readInt32LE(4);
  const code = bytes.readInt32LE(12);
  if (code === OP_QUERY) return { id, form: 'query', command: {}, name: 'hello', exhaustAllowed: false, bytes };
  if (code !== OP_MSG) throw new Error(`a request has operation code ${code}; expected OP_MSG (${OP_MSG})`);
  const command = commandIn(bytes);
  const [name = ''] = Object.keys(command);
  const exhaustAllowed = (bytes.readUInt32LE(HEADER_BYTES) & EXHAUST_ALLOWED) !== 0;
  return { id, form: 'message', command, name, exhaustAllowed, bytes };
}

/** After header and flags come the sections, each after its kind: the command (0), and lists that are fields of it. */
function commandIn(bytes: Buffer, options: BSON.DeserializeOptions = {}): Document {
  let command: Document = {};
  const lists: Document = {};
  for (let at = HEADER_BYTES + 4; at < bytes.length; at += 1 + bytes.readInt32LE(at + 1)) {
    const section = bytes.subarray(at + 1, at + 1 + bytes.readInt32LE(at + 1));
    if (bytes[at] === 0) {
      command = BSON.deserialize(section, options);
      continue;
    }
    const nameEnd = section.indexOf(0, 4);
    lists[section.toString('utf8', 4, nameEnd)] = documentsIn(section.subarray(nameEnd + 1), options);
  }
  return { ...command, ...lists };
}

function documentsIn(bytes: Buffer, options: BSON.DeserializeOptions): Document[] {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), options));
  }
  return documents;
}

/** The flags, and the kind of the one section. */
function messageStart(more: boolean): Buffer {
  const start = Buffer.alloc(5);
  start.writeUInt32LE(more ? MORE_TO_COME : 0, 0);
  return start;
}

/** Flags, cursor and first document are 0; one document follows. */
function queryStart(): Buffer {
  const start = Buffer.alloc(20);
  start.writeInt32LE(1, 16);
  return start;
}

/** The first four bytes of a message are its length. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let kept: Buffer[] = [];
  let have = 0;
  let needed = 4;
  socket.on('data', (chunk: Buffer) => {
    kept.push(chunk);
    have += chunk.length;
    while (have >= needed) {
      const all = Buffer.concat(kept);
      const length = all.readInt32LE(0);
      needed = length;
      kept = [all];
      if (have < length) return;
      kept = [all.subarray(length)];
      have -= length;
      needed = 4;
      take(all.subarray(0, length));
    }
  });
}
