import { isDeepStrictEqual } from 'node:util';
import { isMap, type JsonObject } from '../../../machines/json.ts';
import { isFields } from '../change.ts';
import type { ActorDoc, ActorKind, LogRow, StoredActor } from '../documents.ts';
import { HEAD_INDEXES, type IndexSpec } from '../indexes.ts';
import type { Commit, Query } from '../port.ts';
import { typed } from '../typed.ts';
import { isOpenPayment } from './open-payments.ts';

/** The collection of the heads of a kind. */
export const HEADS = { subscription: 'subscriptions', payment: 'payments' } as const;

/** A head is at most this many revisions behind its actor, so a read by id needs so many rows at most. */
export const BEHIND_MAX = 8;

/** Fields of no index by which queries select, too. */
const ALSO_LISTED: Readonly<Record<ActorKind, readonly string[]>> = {
  subscription: [
    ...['machineVersion', 'context.terms', 'context.ended', 'context.approvalRevokedAt'],
    ...['context.pause', 'context.open.blockedFor'],
  ],
  // The accounts of a month show the transaction, which a reorganization may change.
  payment: [
    'machineVersion',
    'context.consent.router',
    'context.hashes',
    'context.block',
    'context.refunded',
    'context.refunds',
  ],
};

/**
 * Fields by which queries select although a head may have an old value: each gets the value that counts together with a
 * change of a listed field, such as the status.
 */
const WITH_LISTED: readonly string[] = [
  'context.currentPeriodEnd',
  'context.attempt',
  'context.amount',
  'wakeAt',
  'updatedAt',
];

/** Fields that never change. */
const CONSTANT: readonly string[] = ['_id', 'merchantId', 'mode', 'attributes', 'partition', 'createdAt'];

/** The fields by which lists select and sort: a head with an old value would be in the wrong list. */
const LISTED: Readonly<Record<ActorKind, readonly string[]>> = {
  subscription: listed('subscription'),
  payment: listed('payment'),
};

const LISTED_PARTS: Readonly<Record<ActorKind, readonly (readonly string[])[]>> = {
  subscription: LISTED.subscription.map(partsOf),
  payment: LISTED.payment.map(partsOf),
};

function listed(kind: ActorKind): readonly string[] {
  const paths = HEAD_INDEXES[kind].flatMap(pathsOf).map((path) => path.replace('.$**', ''));
  const all = new Set([...paths, ...ALSO_LISTED[kind]]);
  return [...all].filter((path) => !isWithin(path, CONSTANT) && !isWithin(path, WITH_LISTED));
}

/** The paths of the keys and of the condition of an index. */
function pathsOf({ on, whereString, whereDate, whereEquals, whereNull }: IndexSpec): string[] {
  return [...Object.keys(on), whereString, whereDate, whereEquals?.[0], whereNull].filter((path) => path !== undefined);
}

function partsOf(path: string): readonly string[] {
  return path.split('.');
}

/** Throws a TypeError for a path whose value a head may lack: the query would miss actors, or find wrong ones. */
export function checkListed(kind: ActorKind, { where, sort }: Pick<Query, 'where' | 'sort'>): void {
  const known = [...LISTED[kind], ...WITH_LISTED, ...CONSTANT];
  const paths = [...Object.keys(where), ...(sort ?? []).map(([path]) => path)];
  const unknown = paths.find((path) => !isWithin(path, known));
  if (unknown === undefined) return;
  throw new TypeError(`a query of ${kind}s by ${unknown}: name the field in src/store/actors/heads.ts`);
}

/** True if the path is one of these, or leads into one. */
function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((each) => path === each || path.startsWith(`${each}.`));
}

/** True if the head must be stored with the commit that leads from `before` to `after`. */
export function needsHead(before: StoredActor | null, after: ActorDoc): boolean {
  const headRev = before?.headRev ?? 0;
  if (after.rev - headRev >= BEHIND_MAX) return true;
  if (before === null || headRev === 0) return !isOpenPayment(after);
  return LISTED_PARTS[after.kind].some((path) => differs(before, after, path));
}

/**
 * True if the values under a path differ. To a query, null and absent are one. Two actors share most objects, so most
 * comparisons end at once.
 */
function differs(one: unknown, other: unknown, [part, ...rest]: readonly string[]): boolean {
  if (one === other) return false;
  if (part === undefined || isValue(one) || isValue(other)) return !isDeepStrictEqual(one ?? null, other ?? null);
  return differs(ownOf(one, part), ownOf(other, part), rest);
}

function isValue(value: unknown): boolean {
  return value !== null && value !== undefined && !isFields(value);
}

function ownOf(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The part of an actor that its head has. */
export function headOf({ ...doc }: ActorDoc & Partial<StoredActor>): ActorDoc {
  const { headRev: _headRev, outbox: _outbox, failures: _failures, ...head } = doc;
  return head;
}

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
  return isMap(input) ? input : {};
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
