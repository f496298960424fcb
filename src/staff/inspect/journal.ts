import { z } from 'zod';
import type { JsonObject } from '../../../machines/json.ts';
import { jsonMap } from '../../http/schemas.ts';
import type { JournalDoc } from '../../store/documents.ts';

/** One accepted event. `at` is by the actor's own clock. */
export const journalEntry = z.strictObject({
  rev: z.int(),
  at: z.string(),
  type: z.string(),
  /** The fields of the event, except its type and time. */
  details: jsonMap,
  by: z.string(),
  /** The reason, if staff sent it. */
  reason: z.string().nullable(),
  /** The actor that sent it as a message; null: none. */
  sender: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  effects: z.array(jsonMap),
});
export type JournalEntry = z.output<typeof journalEntry>;

export function journalEntryOf({ rev, at, event, by, reason, sender, from, to, effects }: JournalDoc): JournalEntry {
  const { type, now: _now, ...details } = event;
  return {
    rev,
    at,
    type,
    details: json(details),
    by,
    reason: reason ?? null,
    sender: sender?.id ?? null,
    from: pathText(from),
    to: pathText(to),
    effects: effects.map((effect) => ({ ...effect })),
  };
}

/** `{ past_due: 'waiting' }` → `past_due.waiting`. */
export function pathText(value: unknown): string {
  if (typeof value === 'string') return value;
  const [entry] = Object.entries(Object(value));
  return entry === undefined ? '' : `${entry[0]}.${pathText(entry[1])}`;
}

const map = z.record(z.string(), z.json());

function json(value: object): JsonObject {
  return map.parse(value);
}
