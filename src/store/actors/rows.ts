import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../machines/json.ts';
import type { ActorDoc, LogRow } from '../documents.ts';
import type { Commit } from '../port.ts';
import { typed } from '../typed.ts';
import { headOf } from './heads.ts';

/** The digits of a revision in the id of a row, so that ids sort as revisions do. */
const REV_DIGITS = 8;

/** The id of the row whose first event gives the actor this revision. */
export function rowId(actorId: string, rev: number): string {
  return `${actorId}:${String(rev).padStart(REV_DIGITS, '0')}`;
}

/** The bounds of the ids of all rows of an actor. */
export function rowsOf(actorId: string): { readonly gt: string; readonly lt: string } {
  return { gt: `${actorId}:`, lt: `${actorId};` };
}

/** The row of a commit: its events, and the differences between the two states. */
export function rowOf({ before, after: whole, events }: Commit, op: string): LogRow {
  const after = headOf(whole);
  const { _id, kind, partition, rev, context } = after;
  const from = before?.context ?? inputOf(events);
  const lost = Object.keys(from).filter((field) => !(field in context));
  return {
    _id: rowId(_id, (before?.rev ?? 0) + 1),
    kind,
    partition,
    op,
    rev,
    events,
    set: changed(before, after),
    context: changedIn(from, context),
    ...(lost.length > 0 ? { lost } : {}),
  };
}

/** What the context of a new actor is compared with: the input in its first event. */
function inputOf([first]: LogRow['events']): JsonObject {
  const input = first?.event['input'];
  return typeof input === 'object' && input !== null && !isList(input) ? input : {};
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function changed(before: ActorDoc | null, after: ActorDoc): LogRow['set'] {
  const { context: _context, _id, kind: _kind, partition: _partition, rev: _rev, ...fields } = after;
  if (before === null) return fields;
  const were = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isSame(were.get(field), value)));
}

function changedIn(before: JsonObject, after: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(after).filter(([field, value]) => !isSame(before[field], value)));
}

/** An action of a machine keeps the values that it does not assign, so most fields are the same object. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));
}

/** The actor after the row. `before` is null for its first row. */
export function applied(
  before: ActorDoc | null,
  { _id, kind, partition, rev, set, context, lost, events }: LogRow,
): ActorDoc {
  const fields = { ...(before?.context ?? inputOf(events)), ...context };
  for (const field of lost ?? []) delete fields[field];
  const id = before?._id ?? _id.slice(0, -REV_DIGITS - 1);
  return typed<ActorDoc>({ ...before, ...set, _id: id, kind, partition, rev, context: fields });
}
