import { Interrupted, listenForSignals } from '../../scripts/lib/signals.ts';
import { type Terminal, terminalOn } from '../../scripts/lib/terminal.ts';

export interface ToolRun {
  readonly terminal: Terminal;
  /** Aborts when somebody interrupts the run. */
  readonly signal: AbortSignal;
}

/** Resolves with the tool's exit code, or with that of an interrupt that came before it found anything. */
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
