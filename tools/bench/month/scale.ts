import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { EVM_SIZES } from '../../../src/chains/evm/context.ts';
import { numberOf } from '../documents.ts';
import { counted, type Row } from '../row.ts';

export interface CycleCosts {
  readonly gas: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
  /** Bytes in the oplog of a replica set, and on disk. */
  readonly oplog: number;
  readonly kept: number;
  /** The part of `kept` that an archive takes out. */
  readonly archived: number;
}

/** The limits of November 2026. */
const BLOCKS = [
  { chain: 'Base', gas: 400_000_000, seconds: 2 },
  { chain: 'Polygon', gas: 45_000_000, seconds: 2 },
  { chain: 'Ethereum', gas: 60_000_000, seconds: 12 },
];
/** The part of a chain that one service may expect. */
const SHARE = 0.1;
/** From the broadcast of a transaction until its sender knows the block. */
const BLOCKS_IN_FLIGHT = 2;
/** Deliveries to one endpoint at once, each a tenth of a second. */
const POSTS_PER_SECOND = 64 / 0.1;
const DUE = [10_000_000, 100_000_000];
const HOUR_MS = 3_600_000;
const GB = 1e9;

/** Arithmetic, not a measurement: how long each part would take for so many cycles, and what they leave behind. */
export function scaleRows(costs: CycleCosts): Row[] {
  return DUE.flatMap((count) => {
    const name = (what: string) => `arithmetic for ${numberOf(count)} cycles: ${what}`;
    const hours = (what: string, msEach: number) => counted(name(what), 'hours', (count * msEach) / HOUR_MS);
    const gigabytes = (what: string, bytes: number) => counted(name(what), 'GB', (count * bytes) / GB);
    return [
      ...BLOCKS.map(({ chain, gas, seconds }) => {
        return hours(`a tenth of the gas of ${chain}`, (costs.gas / (gas * SHARE)) * seconds * 1_000);
      }),
      ...BLOCKS.filter(({ chain }) => chain !== 'Polygon').map(({ chain, seconds }) => {
        const inFlight = EVM_SIZES.inFlight * EVM_SIZES.charges;
        return hours(`one sender on ${chain}`, (seconds * 1_000 * BLOCKS_IN_FLIGHT) / inFlight);
      }),
      hours('one core for the service', costs.serviceMs),
      hours('one core for the database', costs.databaseMs),
      hours('one endpoint for all webhooks', 1_000 / POSTS_PER_SECOND),
      gigabytes('the oplog', costs.oplog),
      gigabytes('kept on disk', costs.kept),
      gigabytes('of these, what an archive takes out', costs.archived),
    ];
  });
}

const collStats = z.object({ storageSize: z.coerce.number(), totalIndexSize: z.coerce.number() });

/** The bytes on disk of the collections that an archive takes from, with their indexes. */
export async function archivableOf(mongo: MongoClient, dbName: string): Promise<number> {
  const sizes = ['log', 'events'].map(async (collection) => {
    const { storageSize, totalIndexSize } = collStats.parse(await mongo.db(dbName).command({ collStats: collection }));
    return storageSize + totalIndexSize;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
