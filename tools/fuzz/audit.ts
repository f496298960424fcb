import { isDeepStrictEqual } from 'node:util';
import type { ActorDoc, ActorKind } from '../../src/store/documents.ts';
import type { Query, Where } from '../../src/store/port.ts';
import { type Fault, fault } from './fault.ts';
import { type Owners, tagOf } from './tenants.ts';
import type { FuzzWorld, Merchant } from './world.ts';

const RECORDS = ['offers', 'customers', 'wallets'] as const;
const ACTORS: readonly ActorKind[] = ['subscription', 'payment'];
const PAGE = 500;

/** The fields of a document that the audit checks. */
type Stored = Pick<ActorDoc, '_id' | 'merchantId' | 'mode'>;

type Belonging = Pick<Stored, '_id'>;

/** Fields that hold a merchant's own keys, as sent. */
export const FREE_FIELDS = [
  'afterCompletion',
  'features',
  'collectFields',
  'allowedPaymentMethods',
  'metadata',
  'customVariables',
] as const;
const FREE: ReadonlySet<string> = new Set(FREE_FIELDS);
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** All stored documents of one merchant, for a later comparison. */
export async function belongingsOf(world: FuzzWorld, { id: merchantId }: Merchant): Promise<readonly Belonging[]> {
  const found: Belonging[] = await world.store.records.get('merchants', [merchantId]);
  await eachStored(world, { merchantId }, (doc) => void found.push(doc));
  return found;
}

/** Checks everything stored: its owner, that the owner made it, and the names of its fields. */
export async function audit(world: FuzzWorld, owners: Owners): Promise<Fault[]> {
  const faults: Fault[] = [];
  await eachStored(world, {}, (doc) => {
    const owner = owners.ownerOf(doc._id);
    const own = tagOf({ merchantId: doc.merchantId, mode: doc.mode });
    // The service makes the payments of cycles by itself, so no answer may have named them yet.
    const isReported = owner !== null || doc._id.startsWith('pay_') || owners.takeUnread(own);
    if (!isReported) faults.push(fault('stores no unexpected data', `${doc._id} of ${own}: no request made it`));
    if (owner !== null && owner !== own)
      faults.push(fault('stores no unexpected data', `${doc._id} is stored for ${own}, but belongs to ${owner}`));
    const key = strangeKeyIn(doc, false);
    if (key !== null) faults.push(fault('stores no unexpected data', `${doc._id} has a field ${JSON.stringify(key)}`));
  });
  await pages(
    {},
    (query) => world.store.records.find('events', query),
    ({ _id, resourceId, ...event }) => {
      const [owner, own] = [owners.ownerOf(resourceId), tagOf(event)];
      const what = `the event ${_id} of ${own} is about ${resourceId}, which is ${owner}'s`;
      if (owner !== null && owner !== own) faults.push(fault('stores no unexpected data', what));
    },
  );
  return faults;
}

/** The differences between a merchant's documents now and before. */
export async function changesOf(world: FuzzWorld, merchant: Merchant, before: readonly Belonging[]): Promise<Fault[]> {
  const after = await belongingsOf(world, merchant);
  const ids = new Set([...before, ...after].map(({ _id }) => _id));
  return [...ids].flatMap((id) => {
    const [was, is] = [before, after].map((docs) => docs.find(({ _id }) => _id === id));
    if (isDeepStrictEqual(was, is)) return [];
    const what = `${id} was ${JSON.stringify(was)}, and is ${JSON.stringify(is)}`;
    return [fault('changes no data of others', what)];
  });
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
  for (let after = ''; ; ) {
    const found = await find({ where: { ...where, _id: { gt: after } }, limit: PAGE, sort: [['_id', 1]] });
    for (const doc of found) use(doc);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = last._id;
  }
}

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
