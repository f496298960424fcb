import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { counted, type Row } from './row.ts';

/** What the server of the database writes. */
export interface Written {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** Writes to the engine's journal, each a transaction of its storage. */
  readonly commits: number;
  /** Bytes in that journal, with those of indexes. */
  readonly journaled: number;
}

const UNITS: Readonly<Record<keyof Written, string>> = {
  inserted: 'documents inserted',
  updated: 'documents updated',
  deleted: 'documents deleted',
  commits: 'commits',
  journaled: 'bytes of the journal',
};

const WRITTEN_PARTS = ['inserted', 'updated', 'deleted', 'commits', 'journaled'] as const satisfies (keyof Written)[];

/** Everything that the server has written since it started, for all clients. */
export async function writtenBy(mongo: MongoClient): Promise<Written> {
  const { metrics, wiredTiger } = serverStatus.parse(await mongo.db('admin').command({ serverStatus: 1 }));
  const { inserted, updated, deleted } = metrics.document;
  return {
    inserted,
    updated,
    deleted,
    commits: wiredTiger.log['log write operations'],
    journaled: wiredTiger.log['log bytes of payload data'],
  };
}

const number = z.coerce.number();
const serverStatus = z.object({
  metrics: z.object({ document: z.object({ inserted: number, updated: number, deleted: number }) }),
  wiredTiger: z.object({ log: z.object({ 'log write operations': number, 'log bytes of payload data': number }) }),
});

/** Each part of two amounts, combined. */
export function combined<T extends Written>(one: T, other: T, by: (one: number, other: number) => number): T;
export function combined(one: Figures, other: Figures, by: (one: number, other: number) => number): Figures {
  return Object.fromEntries(Object.entries(one).map(([part, figure]) => [part, by(figure, other[part] ?? 0)]));
}

interface Figures {
  readonly [part: string]: number;
}

/** A row for each part. `per` names the work that `written` is for, such as `delivery of 4000`. */
export function writtenRows(per: string, written: Written, atMost: Written): Row[] {
  return WRITTEN_PARTS.map((part) => {
    return counted(`${UNITS[part]}, per ${per}`, UNITS[part], written[part], { atMost: atMost[part] });
  });
}

/** The parts that are over their budget, for a test. */
export function overBudget(written: Written, atMost: Written): (readonly [keyof Written, number])[] {
  return WRITTEN_PARTS.filter((part) => written[part] > atMost[part]).map((part) => [part, written[part]] as const);
}
