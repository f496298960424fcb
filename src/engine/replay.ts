import { z } from 'zod';
import type { Machines, MachineVersion } from '../../machines/versions.ts';
import type { ActorDoc, JournalDoc } from '../store/documents.ts';
import { canonical, canonicalState, hashOf } from './canonical.ts';
import { journalRow } from './journal.ts';
import { initialState, type Sender, type StoredState, step } from './step.ts';

/** A journal that does not lead to what is stored. The message names the actor, the revision, and what was expected there. */
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
  /** Of the last row. */
  readonly rev: number;
}

const creation = z.object({ type: z.literal('actor.created'), input: z.record(z.string(), z.json()) });

/**
 * What one actor's journal leads to, from its creation on (architecture, rule 9). Rows in the order of `rev`, none left out:
 * each must follow from the one before it, bit for bit. Throws a ReplayError at the first that does not.
 */
export function replay(machines: Machines, rows: readonly JournalDoc[]): Replayed {
  const [first] = rows;
  if (first === undefined) throw new ReplayError('an actor without a journal', 1, 'expected its creation');
  if (first.rev !== 1) throw new ReplayError(first.actorId, 1, 'the row is not in the journal');
  const input = creation.safeParse(first.event);
  if (!input.success) throw new ReplayError(first.actorId, 1, `is ${first.event.type}; expected actor.created`);
  const initial = attempt(first, () => initialState(versionOf(machines, first), input.data.input));
  return rows.reduce<Replayed>((before, row) => next(machines, before, row, first.actorId), { state: initial, rev: 0 });
}

/**
 * Replays an actor's journal, the rows still in its outbox included, and compares what comes out with what is stored.
 * `written` are its rows in the collection, in any order. Throws a ReplayError where they differ.
 */
export function replayOf(machines: Machines, doc: ActorDoc, written: readonly JournalDoc[]): Replayed {
  const waiting = doc.outbox.filter(({ effect }) => effect.type === 'journal');
  const rows = new Map(
    [...waiting.map(({ effect }) => journalRow.parse(effect)), ...written].map((row) => [row.rev, row]),
  );
  const replayed = replay(
    machines,
    [...rows.values()].sort((one, other) => one.rev - other.rev),
  );
  const { rev, value, context } = doc;
  if (replayed.rev !== rev) {
    throw new ReplayError(doc._id, replayed.rev + 1, `the row is not in the journal; the document is at rev ${rev}`);
  }
  const difference = differenceOf({ value, context }, replayed.state);
  if (difference !== null)
    throw new ReplayError(doc._id, rev, `the document differs from its journal in ${difference}`);
  return replayed;
}

function next(machines: Machines, before: Replayed, row: JournalDoc, actorId: string): Replayed {
  const rev = before.rev + 1;
  if (row.actorId !== actorId) throw new ReplayError(actorId, rev, `the row is ${row.actorId}'s`);
  if (row.rev !== rev) throw new ReplayError(actorId, rev, `the row is not in the journal; the next one is ${row.rev}`);
  requireSame(row, 'from', row.from, before.state.value);
  const version = versionOf(machines, row);
  const stepped = attempt(row, () => step(version, before.state, version.event.parse(row.event), senderOf(row)));
  if (stepped.taken === 'before') throw new ReplayError(actorId, rev, 'its message had been taken before');
  if (!stepped.taken) {
    throw new ReplayError(actorId, rev, `${row.event.type} is not taken in ${canonical(before.state.value)}`);
  }
  const { state, effects } = stepped;
  requireSame(row, 'to', row.to, state.value);
  requireSame(row, 'effects', [...row.effects], [...effects]);
  requireSame(row, 'the hash of the snapshot', row.hash, hashOf(state));
  return { state, rev };
}

function senderOf({ sender }: JournalDoc): Sender | null {
  return sender && { id: sender.id, mark: [sender.mark[0], sender.mark[1]] };
}

function versionOf(machines: Machines, { actorId, kind, rev, machineVersion }: JournalDoc): MachineVersion {
  const { current } = machines[kind];
  if (current.version === machineVersion) return current;
  throw new ReplayError(actorId, rev, `was taken by version ${machineVersion} of ${kind}; known is ${current.version}`);
}

function attempt<T>({ actorId, rev, event }: JournalDoc, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ReplayError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReplayError(actorId, rev, `${event.type} cannot be replayed: ${why}`, cause);
  }
}

type Comparable = Parameters<typeof canonical>[0];

function requireSame({ actorId, rev }: JournalDoc, what: string, stored: Comparable, replayed: Comparable): void {
  const [says, leads] = [canonical(stored), canonical(replayed)];
  if (says !== leads) throw new ReplayError(actorId, rev, `${what} is ${says}; the replay leads to ${leads}`);
}

/** The first place in which two snapshots differ, such as `context.lastCycle (2, replayed 1)`; null when they are the same. */
function differenceOf(stored: StoredState, replayed: StoredState): string | null {
  if (canonicalState(stored) === canonicalState(replayed)) return null;
  if (canonical(stored.value) !== canonical(replayed.value)) return said('value', stored.value, replayed.value);
  const names = [...new Set([...Object.keys(stored.context), ...Object.keys(replayed.context)])].sort();
  const name = names.find((each) => textOf(stored.context[each]) !== textOf(replayed.context[each]));
  return name === undefined ? 'context' : said(`context.${name}`, stored.context[name], replayed.context[name]);
}

function said(where: string, stored: Comparable | undefined, replayed: Comparable | undefined): string {
  return `${where} (${textOf(stored)}, replayed ${textOf(replayed)})`;
}

function textOf(value: Comparable | undefined): string {
  return value === undefined ? 'absent' : canonical(value);
}
