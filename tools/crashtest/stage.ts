import type { Terminal } from '../../scripts/lib/terminal.ts';

/** The context of every part of a run. */
export interface Stage {
  readonly terminal: Terminal;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}
