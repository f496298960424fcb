import type { Socket } from 'node:net';
import type { Document } from 'mongodb';
import { SHARD_KEYS } from '../../src/store/collection-rules.ts';
import { canBeUnique, partitionsOfIds, shardKeyOf } from '../../src/store/sharding.ts';
import { MongoProxy } from './mongo-proxy.ts';
import {
  type Answer,
  answerTo,
  documentIn,
  exactCommandIn,
  onAnswers,
  onRequests,
  type Request,
  requestOf,
  upstreamOf,
} from './mongo-wire.ts';

const NO_SHARD_KEY = { ok: 0, code: 61, codeName: 'ShardKeyNotFound' } as const;
const CANNOT_CREATE_INDEX = { ok: 0, code: 67, codeName: 'CannotCreateIndex' } as const;

/**
 * What a driver sees of the router of a sharded cluster, in front of one real MongoDB. It refuses a write of one
 * document that does not name the shard key, and a unique index without it. While `moves` answers true, a chunk moves
 * during a write of many documents: one is missed, and another one is counted twice.
 */
export class ShardedCluster {
  /** The commands that asked all shards, each with its collection and the fields of its filter. */
  readonly onAllShards = new Set<string>();
  moves: () => boolean = () => false;
  readonly #proxy: MongoProxy;

  private constructor(upstream: () => Socket) {
    this.#proxy = new MongoProxy(upstream, (client, server) => this.#serve(client, server));
  }

  /** A router before the server of `uri`. */
  static async before(uri: string): Promise<ShardedCluster> {
    const cluster = new ShardedCluster(upstreamOf(uri));
    await cluster.#proxy.open();
    return cluster;
  }

  get uri(): string {
    return this.#proxy.uri;
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  #serve(client: Socket, server: Socket): void {
    const changed = new Map<number, (answer: Answer) => Buffer>();
    onRequests(client, (request) => {
      const refusal = this.#refusalOf(request);
      if (refusal !== null) client.write(answerTo(request, request.id, refusal));
      else server.write(this.#sent(request, changed));
    });
    onAnswers(server, (answer) => {
      client.write(changed.get(answer.to)?.(answer) ?? answer.bytes);
      changed.delete(answer.to);
    });
  }

  /** What a router answers itself; null: it asks the shards. */
  #refusalOf({ name, command }: Request): Document | null {
    const collection = String(command[name]);
    if (name === 'createIndexes') {
      const wrong = command['indexes'].find(({ key, unique }: Document) => unique && !canBeUnique(collection, key));
      return wrong === undefined ? null : { ...CANNOT_CREATE_INDEX, errmsg: `no unique index ${wrong.name}` };
    }
    for (const { filter, isOne } of statementsIn(name, command)) {
      if (namesKey(collection, filter)) continue;
      const what = `${name} ${collection} by ${Object.keys(filter).join(', ')}`;
      if (isOne) return { ...NO_SHARD_KEY, errmsg: `${what}: no shard key` };
      this.onAllShards.add(what);
    }
    return null;
  }

  /** The request for the server, perhaps with one document less. Notes what its answer becomes. */
  #sent(request: Request, changed: Map<number, (answer: Answer) => Buffer>): Buffer {
    const { id, name, command, bytes } = request;
    const answered = (change: (document: Document) => Document) => {
      changed.set(id, (answer) => answerTo(request, id, change(documentIn(answer))));
    };
    if (name === 'hello' || name.toLowerCase() === 'ismaster') answered((hello) => ({ ...hello, msg: 'isdbgrid' }));
    const isMany = statementsIn(name, command).some(({ isOne, isWrite }) => isWrite && !isOne);
    if (!isMany || shardKeyOf(String(command[name])) === null || !this.moves()) return bytes;
    answered(({ n, nModified, ...answer }) => ({
      ...answer,
      n: Number(n) + 1,
      ...(nModified === undefined ? {} : { nModified: Number(nModified) + 1 }),
    }));
    const exact = exactCommandIn(bytes);
    for (const { q } of exact['updates'] ?? exact['deletes']) without(q);
    return requestOf(id, exact);
  }
}

interface Statement {
  readonly filter: Document;
  /** It is about one document at most. */
  readonly isOne: boolean;
  readonly isWrite: boolean;
}

function statementsIn(name: string, command: Document): Statement[] {
  switch (name) {
    case 'find':
      return [{ filter: command['filter'] ?? {}, isOne: false, isWrite: false }];
    case 'aggregate':
      return [{ filter: command['pipeline'][0]?.$match ?? {}, isOne: false, isWrite: false }];
    case 'findAndModify':
      return [{ filter: command['query'] ?? {}, isOne: true, isWrite: true }];
    case 'update':
      return command['updates'].map(({ q, multi }: Document) => ({ filter: q, isOne: multi !== true, isWrite: true }));
    case 'delete':
      return command['deletes'].map(({ q, limit }: Document) => ({ filter: q, isOne: limit === 1, isWrite: true }));
    default:
      return [];
  }
}

/** True if the filter has values for all fields of the shard key, and a partition is that of its ids. */
function namesKey(collection: string, filter: Document): boolean {
  const key = shardKeyOf(collection);
  if (key === null) return true;
  const isNamed = Object.keys(SHARD_KEYS[key]).every((path) => path === '_id' || valuesAt(filter, path).length > 0);
  const ids = valuesAt(filter, '_id');
  if (key !== 'partition') return isNamed && (key === 'merchant' || ids.length > 0);
  const partitions = new Set(valuesAt(filter, 'partition'));
  return isNamed && partitionsOfIds(ids.map(String)).every((partition) => partitions.has(partition));
}

/** The values of a field that a filter allows; none: it allows any, or a range. */
function valuesAt(filter: Document, path: string): readonly unknown[] {
  const inner = (filter['$and'] ?? []).flatMap((part: Document) => valuesAt(part, path));
  const condition: unknown = filter[path];
  if (typeof condition !== 'object' || condition === null) return condition === undefined ? inner : [condition];
  if ('$eq' in condition) return [condition.$eq];
  return '$in' in condition && Array.isArray(condition.$in) ? condition.$in : inner;
}

/** Removes the first of the ids from a filter. */
function without(filter: Document): void {
  for (const part of filter['$and'] ?? []) without(part);
  const ids = filter['_id'];
  if (ids !== undefined) filter['_id'] = { $in: Array.isArray(ids.$in) ? ids.$in.slice(1) : [] };
}
