import { randomBytes } from 'node:crypto';
import { getAddress, hexlify } from 'ethers';
import { z } from 'zod';
import { headOf } from '../../../src/store/actors/heads.ts';
import { timerOf } from '../../../src/store/actors/timers.ts';
import type { LogRow } from '../../../src/store/documents.ts';
import { partitionOf } from '../../../src/store/ids.ts';
import { changed, type Own, ownNames } from '../copies.ts';
import { insertMany } from '../documents.ts';
import { type BenchMerchant, benchMerchant } from '../merchant.ts';
import { comingDay } from '../subscriptions.ts';
import type { World } from '../world.ts';
import type { Specimen } from './specimen.ts';

/** A database in which one merchant has many subscriptions like the specimen. */
export interface Population {
  readonly name: string;
  readonly merchant: BenchMerchant;
  readonly count: number;
  /**
   * How many of them have their rows in the log. The rows of all would be much larger than the measured data.
   */
  readonly journaled: number;
  readonly specimen: Specimen;
}

const JOURNALED_MAX = 1_000;
const DAY_MS = 86_400_000;

const billed = z.object({ payerWallet: z.string() });

/**
 * Inserts subscriptions with their own ids, customers, wallets and times. The indexes exist meanwhile, as in the
 * service.
 */
export async function populated(
  world: World,
  { name: db, count, specimen }: Pick<Population, 'name' | 'count' | 'specimen'>,
): Promise<Population> {
  const merchant = await benchMerchant(await world.openStore(db), 'Has many');
  const journaled = Math.min(count, JOURNALED_MAX);
  const rows: LogRow[] = [];
  await insertMany(world, { db, collection: 'subscriptions', timerOf }, count, (at, index) => {
    const own = ownOf(specimen, merchant, at);
    if (index <= journaled) rows.push(...specimen.rows.map((row) => changed(row, own)));
    return subscriptionLike(specimen, own, at);
  });
  await world.mongo.db(db).collection<LogRow>('log').insertMany(rows);
  return { name: db, merchant, count, journaled, specimen };
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const WALLET_BYTES = 20;

/** Gives a copy its own names, times and wallet. */
function ownOf({ subscription }: Specimen, { merchantId }: BenchMerchant, at: Date): Own {
  const { payerWallet } = billed.parse(subscription.context);
  const names = new Map([
    [payerWallet, getAddress(hexlify(randomBytes(WALLET_BYTES)))],
    [subscription.merchantId, merchantId],
  ]);
  const laterMs = Math.floor(Math.random() * DAY_MS);
  const own = ownNames(names, at);
  return (text) => (MOMENT.test(text) ? new Date(Date.parse(text) + laterMs).toISOString() : own(text));
}

function subscriptionLike({ subscription }: Specimen, own: Own, at: Date) {
  const doc = changed(headOf(subscription), own);
  // No subscription falls due during the measurement.
  const wakeAt = comingDay(Math.random());
  return { ...doc, partition: partitionOf(doc._id), wakeAt, createdAt: at, updatedAt: at };
}
