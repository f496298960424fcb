import { setMaxListeners } from 'node:events';
import { terminalOn } from '../../../scripts/lib/terminal.ts';
import type { ToolRun } from '../../../tools/lib/run-tool.ts';
import { onTestFinished } from '../../runner/after.ts';

/** Runs a crash test that shows nothing. A test that runs out of time leaves no process behind. */
export function runToEnd<T>(run: (tool: ToolRun) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  // Every pause and every open request listens to this signal.
  setMaxListeners(0, ending.signal);
  const terminal = terminalOn({ write: () => true, isTTY: false }, undefined);
  const running = run({ terminal, signal: ending.signal });
  onTestFinished(async () => {
    ending.abort(new Error('the test is over'));
    await running.catch(() => {});
  });
  return running;
}
