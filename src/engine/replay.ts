import { z } from 'zod';
import type { Machines, MachineVersion } from '../../machines/versions.ts';
import { messageOf } from '../errors/message-of.ts';
import type { ActorDoc, ActorKind, JournalRow } from '../store/documents.ts';
import { pagesOf } from '../store/pages.ts';
import type { Store } from '../store/port.ts';
import { nameOf, QUARANTINED, RELEASED } from './advance.ts';
import { canonical, canonicalState, hashOf } from './canonical.ts';
import { ARCHIVED, journalOf } from './journal.ts';
import { initialState, type Sender, type StoredState, step } from './step.ts';
import { findVersion, knownVersions, UPCAST, upcastEvent } from './upcast.ts';

/**
 * A journal that does not lead to the stored snapshot. The message names the actor, the revision and the expected
 * value.
 */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  readonly actorId: string;
  readonly rev: number;

  constructor(actorId: string, rev: number, problem: string, cause?: unknown) {
    super(`${actorId} rev ${rev}: ${problem}`, cause === undefined ? undefined : { cause });
    this.actorId = actorId;
    this.rev = rev;
  }
}

export interface Replayed {
  readonly state: StoredState;
  /** The revision of the last row. */
  readonly rev: number;
  /** The machine's version after the last row. */
  readonly version: number;
}

type Actor = Pick<ActorDoc, '_id' | 'kind'>;

const creation = z.object({ type: z.literal('actor.created'), input: z.record(z.string(), z.json()) });

/**
 * Replays one actor's journal from its last upcast, from its archived rows, or from its creation (docs/rules.md, rule
 * 9). `rows` are complete and in the order of `rev`. Each must follow from the one before it, bit for bit. Rows before
 * the last upcast only have to exist: their machines may no longer exist. Throws a ReplayError at the first wrong row.
 */
export function replay(machines: Machines, actor: Actor, rows: readonly JournalRow[]): Replayed {
  let reached: Replayed | null = null;
  for (const { after } of replayFrom(machines, actor, rows)) reached = after;
  if (reached === null) throw new ReplayError(actor._id, 1, 'the row is not in the journal; expected its creation');
  return reached;
}

/**
 * As `replay`, row by row. `after` is null for rows before the last upcast. Throws a ReplayError at the first wrong
 * row.
 */
function* replayFrom(
  machines: Machines,
  actor: Actor,
  rows: readonly JournalRow[],
): Generator<{ readonly row: JournalRow; readonly after: Replayed | null }> {
  const [first] = rows;
  if (first === undefined) return;
  const upcasts = rows.findLastIndex(({ event }) => event.type === UPCAST || event.type === ARCHIVED);
  const start = first.event.type === ARCHIVED ? first.rev : 1;
  let reached: Replayed | null = null;
  for (const [index, row] of rows.entries()) {
    requireNext(actor, row, start + index);
    if (index < upcasts) {
      yield { row, after: null };
      continue;
    }
    reached =
      index === upcasts ? lifted(actor, row) : next(machines, actor, reached ?? created(machines, actor, first), row);
    yield { row, after: reached };
  }
}

function requireNext({ _id }: Actor, row: JournalRow, rev: number): void {
  if (row.rev === rev) return;
  const what =
    rev === 1 ? 'the row is not in the journal' : `the row is not in the journal; the next one is ${row.rev}`;
  throw new ReplayError(_id, rev, what);
}

/** The state before the first event. */
function created(machines: Machines, actor: Actor, first: JournalRow): Replayed {
  const input = creation.safeParse(first.event);
  if (!input.success) throw new ReplayError(actor._id, 1, `is ${first.event.type}; expected actor.created`);
  const state = attempt(actor, first, () => initialState(machineOf(machines, actor, first), input.data.input));
  return { state, rev: 0, version: first.version };
}

/** The state after an upcast, from its row. */
function lifted(actor: Actor, row: JournalRow): Replayed {
  const { snapshot, toVersion } = attempt(actor, row, () => upcastEvent.parse(row.event));
  const requireSame = sameness(actor, row);
  requireSame('to', row.to, snapshot.value);
  requireSame('the version of the machine', row.version, toVersion);
  requireSame('the hash of the snapshot', row.hash, hashOf(snapshot, []));
  return { state: snapshot, rev: row.rev, version: toVersion };
}

/**
 * Replays an actor's whole journal, and compares the result with the stored document. Throws a ReplayError if they
 * differ.
 */
export function replayOf(machines: Machines, doc: ActorDoc, rows: readonly JournalRow[]): Replayed {
  const replayed = replay(machines, doc, rows);
  const { rev, value, context, machineVersion } = doc;
  if (replayed.rev !== rev) {
    throw new ReplayError(doc._id, replayed.rev + 1, `the row is not in the journal; the document is at rev ${rev}`);
  }
  if (replayed.version !== machineVersion) {
    const leads = `the document is of version ${machineVersion}; its journal leads to version ${replayed.version}`;
    throw new ReplayError(doc._id, rev, leads);
  }
  const difference = differenceOf({ value, context }, replayed.state);
  if (difference !== null)
    throw new ReplayError(doc._id, rev, `the document differs from its journal in ${difference}`);
  return replayed;
}

function next(machines: Machines, actor: Actor, before: Replayed, row: JournalRow): Replayed {
  const { rev } = row;
  const requireSame = sameness(actor, row);
  requireSame('the version of the machine', row.version, before.version);
  if (row.event.type === QUARANTINED || row.event.type === RELEASED) {
    requireSame('the hash of the snapshot', row.hash, hashOf(before.state, []));
    return { ...before, rev };
  }
  const machine = machineOf(machines, actor, row);
  const stepped = attempt(actor, row, () => step(machine, before.state, machine.event.parse(row.event), senderOf(row)));
  if (stepped.taken === 'before') throw new ReplayError(actor._id, rev, 'its message had been taken before');
  if (!stepped.taken) {
    throw new ReplayError(actor._id, rev, `${row.event.type} is not taken in ${canonical(before.state.value)}`);
  }
  const { state, effects } = stepped;
  requireSame('to', row.to, state.value);
  requireSame('effects', row.effects, effects.map(nameOf));
  requireSame('the hash of the snapshot', row.hash, hashOf(state, effects));
  return { state, rev, version: before.version };
}

function senderOf({ sender }: JournalRow): Sender | null {
  return sender === undefined ? null : { id: sender.id, mark: [sender.mark[0], sender.mark[1]] };
}

function machineOf(machines: Machines, { _id, kind }: Actor, { rev, version }: JournalRow): MachineVersion {
  const found = findVersion(machines, kind, version);
  if (found) return found;
  const known = knownVersions(machines, kind).join(', ');
  throw new ReplayError(_id, rev, `was taken by version ${version} of ${kind}; known are ${known}`);
}

function attempt<T>({ _id }: Actor, { rev, event }: JournalRow, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ReplayError) throw cause;
    const why = messageOf(cause);
    throw new ReplayError(_id, rev, `${event.type} cannot be replayed: ${why}`, cause);
  }
}

type Comparable = Parameters<typeof canonical>[0];

/** Throws if the replay leads to something other than a row says. */
function sameness({ _id }: Actor, { rev }: JournalRow) {
  return (what: string, stored: Comparable, replayed: Comparable): void => {
    const [says, leads] = [canonical(stored), canonical(replayed)];
    if (says !== leads) throw new ReplayError(_id, rev, `${what} is ${says}; the replay leads to ${leads}`);
  };
}

/** The first difference of two snapshots, such as `context.lastCycle (2, replayed 1)`; null: they are equal. */
function differenceOf(stored: StoredState, replayed: StoredState): string | null {
  if (canonicalState(stored) === canonicalState(replayed)) return null;
  if (canonical(stored.value) !== canonical(replayed.value)) return difference('value', stored.value, replayed.value);
  const names = [...new Set([...Object.keys(stored.context), ...Object.keys(replayed.context)])].sort();
  const name = names.find((each) => textOf(stored.context[each]) !== textOf(replayed.context[each]));
  return name === undefined ? 'context' : difference(`context.${name}`, stored.context[name], replayed.context[name]);
}

function difference(where: string, stored: Comparable | undefined, replayed: Comparable | undefined): string {
  return `${where} (${textOf(stored)}, replayed ${textOf(replayed)})`;
}

function textOf(value: Comparable | undefined): string {
  return value === undefined ? 'absent' : canonical(value);
}

/** One row of a journal, and the replayed state after it. */
interface ReplayedStep {
  readonly row: JournalRow;
  /** null: the row is before the last upcast, so its machine may no longer exist. */
  readonly state: StoredState | null;
}

interface ReplayedSteps {
  /** In the order of `rev`; they end where the replay cannot continue. */
  readonly steps: readonly ReplayedStep[];
  /** Why the replay stopped at the next row; null: it did not stop. */
  readonly problem: ReplayError | null;
}

/** Replays a whole journal row by row. `rows` are in order. */
export function replaySteps(machines: Machines, actor: Actor, rows: readonly JournalRow[]): ReplayedSteps {
  const steps: ReplayedStep[] = [];
  try {
    for (const step of replayFrom(machines, actor, rows))
      steps.push({ row: step.row, state: step.after?.state ?? null });
    return { steps, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { steps, problem: error };
  }
}

/** The result of one actor's replay. `problem` is null if journal and snapshot agree. */
export interface Verdict {
  readonly id: string;
  readonly kind: ActorKind;
  readonly rev: number;
  readonly problem: ReplayError | null;
}

/** Compares every journal of a kind with its snapshot, in the order of the ids. Writes nothing. */
export async function* replayAll(store: Store, machines: Machines, kind: ActorKind): AsyncGenerator<Verdict> {
  for await (const page of pagesOf((query) => store.actors.find(kind, query), {})) {
    for (const doc of page) yield await replayStored(store, machines, doc);
  }
}

/**
 * Compares one actor's journal with its snapshot. A running service may commit an event between the two reads, so a
 * difference is confirmed by a second comparison from new reads.
 */
export async function replayStored(store: Store, machines: Machines, doc: ActorDoc): Promise<Verdict> {
  const first = await compare(store, machines, doc);
  if (first.problem === null) return first;
  const [again] = await store.actors.load(doc.kind, [doc._id]);
  return again && again.rev !== doc.rev ? compare(store, machines, again) : first;
}

async function compare(store: Store, machines: Machines, doc: ActorDoc): Promise<Verdict> {
  const about = { id: doc._id, kind: doc.kind, rev: doc.rev };
  try {
    replayOf(machines, doc, await journalOf(store, doc));
    return { ...about, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { ...about, problem: error };
  }
}
