import type { Terminal } from '../../scripts/lib/terminal.ts';

/** What every part of a run is given. */
export interface Stage {
  readonly terminal: Terminal;
  /** Aborted when somebody asks for the end. */
  readonly signal: AbortSignal;
}
