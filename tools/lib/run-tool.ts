import { Interrupted, listenForSignals } from '../../scripts/lib/signals.ts';
import { type Terminal, terminalOn } from '../../scripts/lib/terminal.ts';

/** The context of a tool's run. */
export interface ToolRun {
  /** Stdout, or stderr if stdout gets JSON. */
  readonly terminal: Terminal;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}

/** Runs a tool. Resolves with its exit code, or with that of the interrupt that has broken the run. */
export async function runTool(json: boolean, run: (tool: ToolRun) => Promise<number>): Promise<number> {
  const terminal = terminalOn(json ? process.stderr : process.stdout, process.env['NO_COLOR']);
  const { signal } = listenForSignals();
  try {
    return await run({ terminal, signal });
  } catch (error) {
    // An interrupt breaks the run. The resulting error is not a failure of the product.
    if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
    throw error;
  }
}
