import { Interrupted, listenForSignals } from '../../scripts/lib/signals.ts';
import { type Terminal, terminalOn } from '../../scripts/lib/terminal.ts';

/** The context of a tool's run. */
export interface ToolRun {
  readonly terminal: Terminal;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}

/**
 * Runs a tool. Resolves with its exit code. If an interrupt has ended the run before it found anything, resolves with
 * the exit code of the interrupt.
 */
export async function runTool(run: (tool: ToolRun) => Promise<number>): Promise<number> {
  const terminal = terminalOn(process.stdout, process.env['NO_COLOR']);
  const { signal } = listenForSignals();
  const interrupted = () => (signal.reason instanceof Interrupted ? signal.reason.exitCode : null);
  try {
    return (await run({ terminal, signal })) || (interrupted() ?? 0);
  } catch (error) {
    // An interrupt breaks the run. The resulting error is not a failure of the product.
    const exitCode = interrupted();
    if (exitCode === null) throw error;
    return exitCode;
  }
}
