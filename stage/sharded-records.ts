import { SHARD_KEYS } from '../src/store/collection-rules.ts';
import type { CollectionName, LedgerRecords, OneChange, Query, Where } from '../src/store/port.ts';
import { mayAskAllShards, partitionsOfIds, shardKeyOf } from '../src/store/sharding.ts';

/** What the methods of records get after the collection: ids, documents, conditions, changes or a query. */
type Given = string & readonly (string & OneChange & Stored)[] & Where & Query;
interface Stored {
  readonly _id: string;
  readonly partition?: number;
}

/**
 * Records as a sharded cluster carries them out. It refuses writes that do not name the shard key, and documents on
 * another shard than calls by their ids read. It also refuses reads that ask all shards, unless
 * the list of `src/store/sharding.ts` has them.
 *
 * @param moves true: a chunk moves during this write of several documents; one of them is missed, and counted
 */
export function shardedRecords(records: LedgerRecords, moves: () => boolean = () => false): LedgerRecords {
  return new Proxy(records, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (of: CollectionName, given: Given, ...more: [Where, CollectionName]) => {
        for (const access of accessesOf(String(name), of, given, ...more)) checkNamed(...access);
        if (name === 'insert' || name === 'putNewer') for (const doc of given) checkShard(of, doc);
        const isOfMany = name === 'changeAlike' || (name === 'remove' && given.length > 1);
        const isMissed = isOfMany && shardKeyOf(of) !== null && moves();
        const answer: unknown = await method.call(target, of, isMissed ? given.slice(1) : given, ...more);
        if (name === 'changeAlike') return null;
        return isMissed ? Number(answer) + 1 : answer;
      };
    },
  });
}

type Access = readonly [what: 'read' | 'write', of: CollectionName, where: Where];

/** What a call reads or changes, by which conditions. */
function accessesOf(method: string, of: CollectionName, given: Given, where: Where, named: CollectionName): Access[] {
  switch (method) {
    case 'insert':
    case 'putNewer':
      return [];
    case 'get':
      return [['read', of, { _id: { in: given } }]];
    case 'getWith':
      return [of, named].map((each) => ['read', each, { _id: { in: given } }]);
    case 'count':
      return [['read', of, given]];
    case 'find':
    case 'findFields':
    case 'tally':
      return [['read', of, given.where]];
    case 'changeMany':
      return given.map((one) => ['write', of, { ...one.where, _id: one.id }]);
    case 'change':
      return [['write', of, { ...where, _id: given }]];
    case 'changeAlike':
      return [['write', of, { ...where, _id: { in: given } }]];
    default:
      return [['write', of, { _id: typeof given === 'string' ? given : { in: given } }]];
  }
}

/** True if it reads only shards that can have the documents. */
function namesKey(of: CollectionName, where: Where): boolean {
  const key = shardKeyOf(of);
  if (key === null) return true;
  if (isExact(where['_id']) && key !== 'merchant' && key !== 'subscription') return true;
  return key !== 'id' && isExact(where[Object.keys(SHARD_KEYS[key])[0] ?? '']);
}

function isExact(condition: Where[string] | undefined): boolean {
  if (typeof condition !== 'object' || condition === null) return condition !== undefined;
  return condition instanceof Date || 'in' in condition;
}

function checkNamed(...[what, of, where]: Access): void {
  if (namesKey(of, where)) return;
  if (what === 'read' && Object.keys(where).some((path) => mayAskAllShards(of, path))) return;
  const key = Object.keys(SHARD_KEYS[shardKeyOf(of) ?? 'id']).join(', ');
  const remedy = what === 'read' ? ', or list one of its paths with the reason in src/store/sharding.ts' : '';
  throw new TypeError(
    `a ${what} of ${of} by ${Object.keys(where).join(', ')} names no shard key: name ${key}${remedy}`,
  );
}

function checkShard(into: CollectionName, { _id, partition }: Stored): void {
  if (shardKeyOf(into) !== 'partition' || partition === partitionsOfIds([_id])[0]) return;
  throw new TypeError(`${into} ${_id} is in partition ${partition}, where no call by its id finds it`);
}
