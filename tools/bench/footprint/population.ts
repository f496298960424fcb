import { randomBytes } from 'node:crypto';
import { isDate } from 'node:util/types';
import { getAddress, hexlify } from 'ethers';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { type IdPrefix, newId, partitionOf } from '../../../src/store/ids.ts';
import { isPlain } from '../../../src/store/plain.ts';
import { insertMany } from '../api/documents.ts';
import { type BenchMerchant, benchMerchant } from '../api/merchant.ts';
import type { BenchRun } from '../bench.ts';
import type { World } from '../world.ts';
import type { Specimen } from './specimen.ts';

/** A database in which a merchant has so many subscriptions like the specimen. */
export interface Population {
  readonly name: string;
  readonly db: Db;
  readonly merchant: BenchMerchant;
  readonly count: number;
  /** Of so many the whole journal is there too: of all it would be many times as large as what is measured. */
  readonly journaled: number;
  readonly specimen: Specimen;
}

const JOURNALED_MAX = 1_000;
/** None falls due while it is measured. */
const FIRST_DAY = 2;
const DAYS = 28;
const DAY_MS = 86_400_000;

const billed = z.object({ payerWallet: z.string() });

/** Each with ids, customer, wallet and moment of its own, inserted while the service's indexes are kept, as it would. */
export async function populated(
  world: World,
  run: BenchRun,
  { db: name, count, specimen }: { readonly db: string; readonly count: number; readonly specimen: Specimen },
): Promise<Population> {
  const merchant = await benchMerchant(await world.store(name), 'Has many');
  const journaled = Math.min(count, JOURNALED_MAX);
  const step = (what: string, of: number) => (done: number) => {
    run.signal.throwIfAborted();
    run.progress.step(`footprint: ${done.toLocaleString('en')} of ${of.toLocaleString('en')} ${what}`);
  };
  const kept: Own[] = [];
  const place = { db: name, collection: 'subscriptions' };
  const make = (at: Date) => {
    const own = ownOf(specimen, merchant, at);
    if (kept.length < journaled) kept.push(own);
    return subscriptionLike(specimen, own, at);
  };
  await insertMany(world.mongo, place, count, make, step('subscriptions', count));
  const rows = kept.flatMap((own) => specimen.journal.map((row) => changed(row, own)));
  const journal = { db: name, collection: 'journal' };
  await insertMany(
    world.mongo,
    journal,
    rows.length,
    (_, index) => rowAt(rows, index - 1),
    step('journal rows', rows.length),
  );
  return { name, db: world.mongo.db(name), merchant, count, journaled, specimen };
}

function rowAt<T>(rows: readonly T[], index: number): T {
  const row = rows[index];
  if (row === undefined) throw new Error(`there is no row ${index}`);
  return row;
}

/** What is another's own: a string of the specimen → what stands in its place. */
type Own = (text: string) => string;

const ID = /\b(sub|cust|pay|op)_[0-9a-z]{26}/g;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const HASH = /^(0x)?[0-9a-f]{64}$/;
const HASH_BYTES = 32;
const WALLET_BYTES = 20;

/**
 * Ids of its own for its customer, payments and operations, moments, hashes and wallet too: offer and price are what it shares
 * with others. What is alike in all of them would be compressed away.
 */
function ownOf({ subscription }: Specimen, { merchantId }: BenchMerchant, at: Date): Own {
  const { payerWallet } = billed.parse(subscription.context);
  const names = new Map([
    [payerWallet, getAddress(hexlify(randomBytes(WALLET_BYTES)))],
    [subscription.merchantId, merchantId],
  ]);
  const laterMs = Math.floor(Math.random() * DAY_MS);
  const named = (name: string, make: () => string): string => {
    const known = names.get(name) ?? make();
    names.set(name, known);
    return known;
  };
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (MOMENT.test(text)) return new Date(Date.parse(text) + laterMs).toISOString();
    if (HASH.test(text))
      return named(text, () => hexlify(randomBytes(HASH_BYTES)).slice(text.startsWith('0x') ? 0 : 2));
    return text.replace(ID, (id, prefix) => named(id, () => newId(prefixOf(prefix), at)));
  };
}

function prefixOf(text: string): IdPrefix {
  switch (text) {
    case 'sub':
    case 'cust':
    case 'pay':
    case 'op':
      return text;
    default:
      throw new Error(`${text} begins no id that is another's own`);
  }
}

function subscriptionLike({ subscription }: Specimen, own: Own, at: Date) {
  const doc = changed(subscription, own);
  const wakeAt = new Date(Date.now() + (FIRST_DAY + Math.random() * DAYS) * DAY_MS);
  return { ...doc, partition: partitionOf(doc._id), wakeAt, createdAt: at, updatedAt: at };
}

function changed<T>(value: T, own: Own): T;
function changed(value: unknown, own: Own): unknown {
  if (typeof value === 'string') return own(value);
  if (Array.isArray(value)) return value.map((item) => changed(item, own));
  if (typeof value !== 'object' || value === null || isDate(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, own)]));
}
