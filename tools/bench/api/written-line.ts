import { createServer, type Socket } from 'node:net';
import type { Document } from 'mongodb';
import { listen } from '../../../stage/loopback.ts';
import { documentIn, onAnswers, onRequests, type Request, upstreamOf } from '../../lib/mongo-wire.ts';

/** A line to a MongoDB that counts what its clients write. Other clients of the same server do not count. */
export interface WrittenLine {
  readonly uri: string;
  /** The documents inserted, changed or deleted so far; each is counted before its client has the answer. */
  documents(): number;
  close(): Promise<void>;
}

/** Every call of the API counts itself there. */
const NOT_COUNTED = 'rateWindows';

/** Opens a line to the server of `uri`. */
export async function openWrittenLine(uri: string): Promise<WrittenLine> {
  const upstream = upstreamOf(uri);
  const sockets = new Set<Socket>();
  let documents = 0;
  const server = createServer((client) => {
    const mongo = upstream();
    for (const [socket, other] of [
      [client, mongo],
      [mongo, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    const writes = new Map<number, Request>();
    onRequests(client, (request) => {
      if (request.name in WRITTEN && request.command[request.name] !== NOT_COUNTED) writes.set(request.id, request);
      mongo.write(request.bytes);
    });
    onAnswers(mongo, (answer) => {
      const write = writes.get(answer.to);
      if (write !== undefined) documents += WRITTEN[write.name]?.(documentIn(answer)) ?? 0;
      writes.delete(answer.to);
      client.write(answer.bytes);
    });
  });
  const port = await listen(server);
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    documents: () => documents,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The documents that a command has written, by its answer; after an error the fields are missing. */
const WRITTEN: Readonly<Record<string, (answer: Document) => number>> = {
  insert: ({ n }) => sumOf(n),
  update: ({ nModified, upserted = [] }) => sumOf(nModified, upserted.length),
  delete: ({ n }) => sumOf(n),
  findAndModify: ({ lastErrorObject }) => sumOf(lastErrorObject?.n),
  bulkWrite: ({ nInserted, nModified, nUpserted, nDeleted }) => sumOf(nInserted, nModified, nUpserted, nDeleted),
};

function sumOf(...counts: readonly unknown[]): number {
  return counts.reduce<number>((sum, count) => sum + Number(count ?? 0), 0);
}
