import type { Document } from 'mongodb';
import { MongoProxy } from '../../../tools/lib/mongo-proxy.ts';
import { documentIn, onAnswers, onRequests, type Request, upstreamOf } from '../../../tools/lib/mongo-wire.ts';

/** A line to the embedded MongoDB that counts what its clients write, and not what other clients of the server do. */
export interface WrittenLine {
  readonly uri: string;
  /**
   * The documents inserted, changed or deleted so far; each is counted before its client has the answer. Answers of
   * workers are removed some time after the response, so those removals are not counted.
   */
  documents(): number;
  /** How often its clients have polled the answers of workers: their number depends on time. */
  polls(): number;
  close(): Promise<void>;
}

/** All that the embedded engine has. */
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);

function isCounted({ name, command }: Request): boolean {
  const collection = command[name];
  // Every call of the API counts itself there.
  if (collection === 'rateWindows') return false;
  return WRITES.has(name) && !(name === 'delete' && collection === 'requests');
}

/** Opens a line to the server of `uri`. */
export async function openWrittenLine(uri: string): Promise<WrittenLine> {
  let documents = 0;
  let polls = 0;
  const proxy = await new MongoProxy(upstreamOf(uri), (client, mongo) => {
    const writes = new Map<number, Request>();
    onRequests(client, (request) => {
      if (isCounted(request)) writes.set(request.id, request);
      if (request.command['find'] === 'requests') polls += 1;
      mongo.write(request.bytes);
    });
    onAnswers(mongo, (answer) => {
      const write = writes.get(answer.to);
      if (write !== undefined) documents += writtenBy(write.name, documentIn(answer));
      writes.delete(answer.to);
      client.write(answer.bytes);
    });
  }).open();
  return { uri: proxy.uri, documents: () => documents, polls: () => polls, close: () => proxy.close() };
}

/** The documents that a command has written, by its answer; after an error the fields are missing. */
function writtenBy(command: string, { n, nModified, upserted = [], lastErrorObject }: Document): number {
  if (command === 'update') return Number(nModified ?? 0) + upserted.length;
  return Number((command === 'findAndModify' ? lastErrorObject?.n : n) ?? 0);
}
