import { z } from 'zod';
import { frame } from '../../machines/actor.ts';
import type { Json } from '../../machines/json.ts';
import type { ActorDoc, OutboxItem } from '../store/documents.ts';
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
    wakeAt: realTime({ clockOffsetMs }, wakeAt),
    clockOffsetMs,
  };
}

/** The revision that set the wake of a changed actor: its own, if the wake is another one. */
export function wakeRevOf(before: ActorDoc, wakeAt: Date | null, rev: number): number {
  return before.wakeAt?.getTime() === wakeAt?.getTime() ? before.wakeRev : rev;
}

/** The name of the outermost state: `{ pending: 'charging' }` → `pending`. */
export function outermost(value: Json): string {
  if (typeof value === 'string') return value;
  const name = value !== null && typeof value === 'object' ? Object.keys(value)[0] : undefined;
  if (name === undefined) throw new Error(`no state in ${JSON.stringify(value)}`);
  return name;
}

export function actorTime(real: Date, clockOffsetMs: number): string {
  return new Date(real.getTime() + clockOffsetMs).toISOString();
}

/** A moment of the actor's own clock in real time. */
export function realTime({ clockOffsetMs }: Pick<ActorDoc, 'clockOffsetMs'>, moment: string | null): Date | null {
  return moment === null ? null : new Date(Date.parse(moment) - clockOffsetMs);
}

/** True if a stored list of effects can be read; somebody may have damaged it in the database. */
export function areEffects(stored: unknown): stored is readonly OutboxItem[] {
  return Array.isArray(stored) && stored.every(isItem);
}

function isItem(item: Partial<OutboxItem> | null): boolean {
  return typeof item?.id === 'string' && typeof item.effect?.type === 'string';
}
