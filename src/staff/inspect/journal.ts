import { z } from 'zod';
import { isMap, type JsonObject } from '../../../machines/json.ts';
import { canonical } from '../../engine/canonical.ts';
import type { StoredState } from '../../engine/step.ts';
import type { JournalRow } from '../../store/documents.ts';
import type { JournalEntry, SnapshotChange } from '../wire.ts';

export function journalEntryOf({ rev, event, by, reason, sender, from, to, effects }: JournalRow): JournalEntry {
  const { type, now: at, ...details } = event;
  return {
    rev,
    at,
    type,
    details: json(details),
    by,
    reason: reason ?? null,
    sender: sender?.id ?? null,
    // An actor takes its first event in the state in which it begins.
    from: pathText(from ?? to),
    to: pathText(to),
    effects: [...effects],
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

/** The differences of two snapshots, field by field; a list counts as one field. `before` null: everything is new. */
export function differences(before: StoredState | null, after: StoredState): SnapshotChange[] {
  const state = { path: 'state', before: before?.value ?? null, after: after.value };
  const moved = canonical(state.before) === canonical(state.after) ? [] : [state];
  return [...moved, ...within('', before?.context ?? {}, after.context)];
}

function within(path: string, before: JsonObject, after: JsonObject): SnapshotChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before[name] ?? null, after[name] ?? null];
    if (canonical(was) === canonical(is)) return [];
    const inner = path === '' ? name : `${path}.${name}`;
    return isMap(was) && isMap(is) ? within(inner, was, is) : [{ path: inner, before: was, after: is }];
  });
}
