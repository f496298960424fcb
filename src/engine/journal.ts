import { z } from 'zod';
import { isJsonObject, type JsonObject, json, jsonObject } from '../../machines/json.ts';
import type { JournalDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { EffectResult } from './types.ts';

export const actorKind = z.enum(['subscription', 'payment', 'delivery']);
const event = z.custom<JournalDoc['event']>(
  (value) => isJsonObject(value) && typeof value['type'] === 'string',
  'expected an event with a type',
);

/** A journal row, as in an outbox or in the collection. */
export const journalRow: z.ZodType<JournalDoc> = z.object({
  _id: z.string(),
  actorId: z.string(),
  kind: actorKind,
  rev: z.int().positive(),
  at: z.string(),
  event,
  by: z.string(),
  reason: z.string().exactOptional(),
  sender: z.object({ id: z.string(), mark: z.tuple([z.int(), z.int()]) }).nullable(),
  from: json,
  to: json,
  effects: z.array(jsonObject),
  machineVersion: z.int().positive(),
  hash: z.string(),
  op: z.string(),
});

/** Inserts journal rows. An existing row counts as done. */
export async function writeJournal(store: Store, rows: readonly JsonObject[]): Promise<readonly EffectResult[]> {
  const docs = rows.map((row) => journalRow.parse(row));
  const verdicts = await store.records.insert('journal', docs);
  return verdicts.map((verdict) =>
    verdict.inserted || verdict.index === '_id' ? 'done' : { failed: new Error(`journal: ${verdict.index} is taken`) },
  );
}
