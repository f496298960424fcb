import { isDeepStrictEqual } from 'node:util';
import type { ActorDoc, ActorKind } from '../../src/store/documents.ts';
import type { Query, Where } from '../../src/store/port.ts';
import { FREE_FIELDS } from './known.ts';
import { type Owners, tagOf } from './tenants.ts';
import type { FuzzWorld } from './world.ts';

const RECORDS = ['offers', 'customers', 'wallets'] as const;
const ACTORS: readonly ActorKind[] = ['subscription', 'payment'];
const PAGE = 500;

/** The fields of a document that the audit checks. */
type Stored = Pick<ActorDoc, '_id' | 'merchantId' | 'mode'>;

export async function belongingsOf(world: FuzzWorld, merchantId: string): Promise<ReadonlyMap<string, object>> {
  const found = new Map<string, object>();
  for (const doc of await world.store.records.get('merchants', [merchantId])) found.set(doc._id, doc);
  await eachStored(world, { merchantId }, (doc) => void found.set(doc._id, doc));
  return found;
}

/** The differences between a merchant's documents now and before. */
export async function changesOf(world: FuzzWorld, merchantId: string, before: ReadonlyMap<string, object>) {
  const after = await belongingsOf(world, merchantId);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    return isDeepStrictEqual(was, is) ? [] : [`${id} was ${JSON.stringify(was)}, and is ${JSON.stringify(is)}`];
  });
}

/** The faults of all stored documents: a wrong owner, a wrong maker, a field with an unknown name. */
export async function audit(world: FuzzWorld, owners: Owners): Promise<string[]> {
  const wrongs: string[] = [];
  await eachStored(world, {}, (doc) => {
    const [owner, own] = [owners.ownerOf(doc._id), tagOf(doc)];
    // The service makes the payments of cycles by itself, so no answer may have named them yet.
    const isReported = owner !== null || doc._id.startsWith('pay_');
    if (!isReported) wrongs.push(`${doc._id} of ${own}: no request made it`);
    if (owner !== null && owner !== own) wrongs.push(`${doc._id} is stored for ${own}, but belongs to ${owner}`);
    const key = strangeKeyIn(doc, false);
    if (key !== null) wrongs.push(`${doc._id} has a field ${JSON.stringify(key)}`);
  });
  const findEvents = (query: Query) => world.store.records.find('events', query);
  await pages({}, findEvents, ({ _id, resourceId, ...event }) => {
    const [owner, own] = [owners.ownerOf(resourceId), tagOf(event)];
    const isOwn = owner === null || owner === own;
    if (!isOwn) wrongs.push(`the event ${_id} of ${own} is about ${resourceId}, which is ${owner}'s`);
  });
  return wrongs;
}

async function eachStored(world: FuzzWorld, where: Where, use: (doc: Stored) => void): Promise<void> {
  const { records, actors } = world.store;
  for (const from of RECORDS) await pages<Stored>(where, (query) => records.find(from, query), use);
  for (const kind of ACTORS) await pages<Stored>(where, (query) => actors.find(kind, query), use);
}

async function pages<T extends { readonly _id: string }>(
  where: Where,
  find: (query: Query) => Promise<readonly T[]>,
  use: (doc: T) => void,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const found = await find({ where: { ...where, _id: { gt: after } }, limit: PAGE, sort: [['_id', 1]] });
    for (const doc of found) use(doc);
    after = found.length < PAGE ? undefined : found.at(-1)?._id;
  }
}

const FREE: ReadonlySet<string> = new Set(FREE_FIELDS);
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A key that could be an operator or a path, outside of free-form maps; a key of a prototype anywhere. */
function strangeKeyIn(value: unknown, isFree: boolean): string | null {
  if (typeof value !== 'object' || value === null || value instanceof Date) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.has(key)) return key;
    if (!isFree && !Array.isArray(value) && (key.startsWith('$') || key.includes('.') || key === '')) return key;
    const found = strangeKeyIn(inner, isFree || FREE.has(key));
    if (found !== null) return found;
  }
  return null;
}
