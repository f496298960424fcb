import { outermost } from '../engine/projection.ts';
import type { JournalRow } from '../store/documents.ts';

export interface AdvanceStep {
  readonly at: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  /** Absent: it made no attempt. */
  readonly outcome?: string;
}

/**
 * The steps of an advance, from the journal: a step is a due moment that made an attempt or changed the status
 * (docs/rules.md, "Sandbox"). If it made one, `to` and `outcome` are the result of the attempt.
 */
export function stepsOf(rows: readonly JournalRow[]): AdvanceStep[] {
  return rows.flatMap((row, index) => {
    if (row.event.type !== 'cycle.due') return [];
    const from = outermost(row.from);
    const ended = rows
      .slice(index + 1)
      .find(({ event }) => event.type === 'charge.settled' || event.type === 'charge.failed');
    const opened = row.effects.includes('charge.open');
    if (!opened && outermost(row.to) === from) return [];
    const to = opened && ended ? outermost(ended.to) : outermost(row.to);
    const outcome = opened ? { outcome: ended?.event.type.replace('charge.', '') ?? 'pending' } : {};
    return [{ at: row.event.now, event: row.event.type, from, to, ...outcome }];
  });
}
