import { z } from 'zod';
import { frame } from '../../machines/actor.ts';
import type { Json } from '../../machines/json.ts';
import type { JournalRow, OutboxItem, StoredActor } from '../store/documents.ts';
import type { StoredState } from './step.ts';

const framed = z.object({ wakeAt: frame.wakeAt, clockOffsetMs: frame.clockOffsetMs });

/** Fields of a document that queries need, derived from its snapshot. No decision uses them. */
interface Projection {
  readonly status: string;
  /** Real time: the actor's due time minus its clock's offset. */
  readonly wakeAt: Date | null;
  readonly clockOffsetMs: number;
}

export function projectionOf(state: StoredState): Projection {
  const { wakeAt, clockOffsetMs } = framed.parse(state.context);
  return {
    status: outermost(state.value),
    wakeAt: wakeAt === null ? null : new Date(Date.parse(wakeAt) - clockOffsetMs),
    clockOffsetMs,
  };
}

/** The name of the outermost state: `{ pending: 'charging' }` → `pending`. */
export function outermost(value: Json): string {
  if (typeof value === 'string') return value;
  const name = value !== null && typeof value === 'object' ? Object.keys(value)[0] : undefined;
  if (name === undefined) throw new Error(`no state in ${JSON.stringify(value)}`);
  return name;
}

/** The actor's own time at a real time. */
export function actorTime(real: Date, clockOffsetMs: number): string {
  return new Date(real.getTime() + clockOffsetMs).toISOString();
}

/**
 * Why a write cannot add to the lists of a document; null: it can. Without this check one broken document would fail
 * the whole batch of its write.
 */
export function brokenListOf({ outbox, recentOps, journal }: StoredActor): string | null {
  if (!isOutbox(outbox)) return 'its outbox is no list of effects';
  if (!isJournal(journal)) return 'its journal is no list of rows';
  return Array.isArray(recentOps) ? null : 'its recentOps are no list';
}

/** True if a stored outbox is a list of effects; somebody may have damaged it in the database. */
export function isOutbox(stored: unknown): stored is readonly OutboxItem[] {
  return Array.isArray(stored) && stored.every(isItem);
}

/** True if the stored journal is a list of rows; somebody may have damaged it in the database. */
export function isJournal(stored: unknown): stored is readonly JournalRow[] {
  return Array.isArray(stored) && stored.every(isRow);
}

function isRow(row: Partial<JournalRow> | null): boolean {
  return typeof row?.rev === 'number' && typeof row.event?.type === 'string';
}

function isItem(item: Partial<OutboxItem> | null): boolean {
  return typeof item?.id === 'string' && typeof item.effect?.type === 'string';
}
