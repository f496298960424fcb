import { randomBytes } from 'node:crypto';
import { isDate } from 'node:util/types';
import { hexlify } from 'ethers';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { rowId } from '../../../src/store/actors/heads.ts';
import { timerOf } from '../../../src/store/actors/timers.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import { newId, partitionOf, suffixOf } from '../../../src/store/ids.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { isPlain } from '../../../src/store/values.ts';
import { FAST, numberOf } from '../documents.ts';
import { DB } from '../settlement/market.ts';
import type { World } from '../world.ts';

/** The numbers of the tenths that are charged. The others, from the third to the ninth, are filled. */
export const CHARGED_TENTHS = [1, 2, 10];

/** The tenth, from 1 to 10, of a subscription by its index. */
export function tenthOf(index: number, count: number): number {
  return Math.floor((index * 10) / count) + 1;
}

/** Before the chain's first block, so that no audit of blocks reads a copied transaction. */
const BLOCKS_BEFORE = 1_000_000;
const ADDRESS_BYTES = 20;
/** More than the revisions of an actor with one cycle. */
const REVISIONS = 10;
/** The copies of a transaction that are made at once, because to read it costs as much as to write it. */
const TIMES = 4;

/**
 * Leaves what a charge would have left, for each of `count` subscriptions with such a wake: copies of what real charges
 * of this run have left, under names of their own. A transaction is copied with all of its charges.
 */
export async function fillCycles(world: World, wakeAt: object, count: number): Promise<void> {
  const db = world.mongo.db(DB);
  const store = await world.openStore(DB);
  const targets = await idsOf(db, 'subscriptions', { wakeAt });
  const ended = { state: 'finalized', reverted: false, 'chargeIds.0': { $exists: true } };
  const transactions = await idsOf(db, 'transactions', ended);
  for (let [done, at] = [0, 0]; done < count; at = (at + 1) % transactions.length) {
    const left = await leftBy(store, transactions[at] ?? '', count - done);
    const size = left.heads.length;
    const times = Math.min(TIMES, Math.floor((count - done) / size));
    const starts = Array.from({ length: times }, (_, time) => done + time * size);
    await Promise.all(starts.map((start) => insertCopy(db, left, targets.slice(start, start + size))));
    done += times * size;
    world.signal.throwIfAborted();
    world.progress.step(`month: ${numberOf(done)} of ${numberOf(count)} filled`);
  }
  await db.collection('timers').deleteMany({ at: { ...wakeAt } });
}

async function idsOf(db: Db, name: string, where: object): Promise<string[]> {
  const found = db.collection<{ _id: string }>(name).find(where, { projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}

/** What a transaction of the chain has left in the database. */
interface Left {
  readonly sender: string;
  /** Of the subscriptions. */
  readonly heads: readonly ActorDoc[];
  readonly inserted: Readonly<Record<string, readonly { readonly _id: string }[]>>;
}

const paid = z.object({ subscriptionId: z.string() });

async function leftBy({ actors, records }: LedgerStore, id: string, atMost: number): Promise<Left> {
  const [transaction] = await records.get('transactions', [id]);
  if (transaction === undefined) throw new Error('there is no transaction to copy');
  const charges = (await records.get('charges', transaction.chargeIds)).slice(0, atMost);
  const paymentIds = charges.map(({ paymentId }) => paymentId);
  const payments = await records.get('payments', paymentIds);
  const ids = payments.map(({ attributes }) => paid.parse(attributes).subscriptionId);
  const rowIds = [...paymentIds, ...ids].flatMap((actorId) =>
    Array.from({ length: REVISIONS }, (_, index) => rowId(actorId, index + 1)),
  );
  const log = await records.get('log', rowIds);
  const events = await records.find('events', { where: { resourceId: { in: ids } }, ties: 'any', limit: ids.length });
  const timers = (await actors.load('subscription', ids)).flatMap((doc) => timerOf(doc, new Date()) ?? []);
  const { sender, block } = transaction;
  const transactions = [{ ...transaction, block: block && { ...block, number: block.number - BLOCKS_BEFORE } }];
  const heads = await records.get('subscriptions', ids);
  return { sender, heads, inserted: { log, payments, charges, events, timers, transactions } };
}

/** The heads replace those of the targets. */
async function insertCopy(db: Db, { sender, heads, inserted }: Left, targets: readonly string[]): Promise<void> {
  const names = new Map([[sender, hexlify(randomBytes(ADDRESS_BYTES))]]);
  for (const [index, { _id }] of heads.entries()) names.set(suffixOf(_id), suffixOf(targets[index] ?? ''));
  const own = ownNames(names, new Date());
  const copyOf = (doc: { readonly _id: string }) => inPartition(changed(doc, own));
  const replacements = heads.map(copyOf).map((replacement) => {
    return { replaceOne: { filter: { _id: replacement._id }, replacement } };
  });
  await Promise.all([
    db.collection<{ _id: string }>('subscriptions').bulkWrite(replacements, FAST),
    ...Object.entries(inserted).map(([name, docs]) => {
      return db.collection<{ _id: string }>(name).insertMany(docs.map(copyOf), FAST);
    }),
  ]);
}

/** The id of a row begins with that of its actor. */
function inPartition<T extends { readonly _id: string }>(doc: T): T {
  const [actorId = ''] = doc._id.split(':');
  return 'partition' in doc ? { ...doc, partition: partitionOf(actorId) } : doc;
}

/** Replaces a string of a document by the copy's own. */
type Own = (text: string) => string;

/** A hash, or an id without its prefix. */
const NAME = /\b(?:0x)?[0-9a-f]{64}\b|(?<=\b(?:sub|cust|pay|op|evt|txn)[_-])[0-9a-z]{26}\b/g;
const HASH_BYTES = 32;

/**
 * Gives copies their own ids of subscriptions, customers, payments and operations, and their own hashes; they share
 * offer and price. Values that are equal in all copies would be compressed away. `names` has
 * the new name of each old string that had one before, and gets those of all others: equal strings stay equal. `at` is
 * the moment of new ids.
 */
function ownNames(names: Map<string, string>, at: Date): Own {
  const named = (name: string): string => {
    const known = names.get(name) ?? likeName(name, at);
    names.set(name, known);
    return known;
  };
  return (text) => names.get(text) ?? text.replace(NAME, named);
}

function likeName(name: string, at: Date): string {
  if (name.length < 2 * HASH_BYTES) return newId('op', at).slice('op_'.length);
  return hexlify(randomBytes(HASH_BYTES)).slice(name.startsWith('0x') ? 0 : 2);
}

/** The value with every string replaced, except the names of fields. */
function changed<T>(value: T, own: Own): T;
function changed(value: unknown, own: Own): unknown {
  if (typeof value === 'string') return own(value);
  if (Array.isArray(value)) return value.map((item) => changed(item, own));
  if (typeof value !== 'object' || value === null || isDate(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, own)]));
}
