import { z } from 'zod';
import type { JsonObject } from '../../../machines/json.ts';
import type { JournalRow } from '../../store/documents.ts';
import type { JournalEntry } from '../wire.ts';

export function journalEntryOf({ rev, at, event, by, reason, sender, from, to, effects }: JournalRow): JournalEntry {
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
