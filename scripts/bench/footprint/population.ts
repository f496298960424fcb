import { randomBytes } from 'node:crypto';
import { isDate } from 'node:util/types';
import { getAddress, hexlify } from 'ethers';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { newId, partitionOf } from '../../../src/ids.ts';
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

const own = z.object({ customerId: z.string() });
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
  const kept: Names[] = [];
  const place = { db: name, collection: 'subscriptions' };
  const make = (at: Date) => {
    const names = namesFor(specimen, merchant, at);
    if (kept.length < journaled) kept.push(names);
    return subscriptionLike(specimen, names, at);
  };
  await insertMany(world.mongo, place, count, make, step('subscriptions', count));
  const rows = kept.flatMap((names) => specimen.journal.map((row) => renamed(row, names)));
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

/** What stands in the specimen → what stands in the other's place. */
type Names = ReadonlyMap<string, string>;

function namesFor({ subscription }: Specimen, { merchantId }: BenchMerchant, at: Date): Names {
  const wallet = getAddress(hexlify(randomBytes(20)));
  return new Map([
    [subscription._id, newId('sub', at)],
    [own.parse(subscription.attributes).customerId, newId('cust', at)],
    [billed.parse(subscription.context).payerWallet, wallet],
    [subscription.merchantId, merchantId],
  ]);
}

function subscriptionLike({ subscription }: Specimen, names: Names, at: Date) {
  const doc = renamed(subscription, names);
  const wakeAt = new Date(Date.now() + (FIRST_DAY + Math.random() * DAYS) * DAY_MS);
  return { ...doc, partition: partitionOf(doc._id), wakeAt, createdAt: at, updatedAt: at };
}

/** The same with other names, also where an id begins another (`<id>:<rev>`). */
function renamed<T>(value: T, names: Names): T;
function renamed(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return nameOf(value, names);
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (typeof value !== 'object' || value === null || isDate(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, names)]));
}

function nameOf(text: string, names: Names): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const colon = text.indexOf(':');
  const first = colon < 0 ? undefined : names.get(text.slice(0, colon));
  return first === undefined ? text : `${first}${text.slice(colon)}`;
}
