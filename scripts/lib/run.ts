import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { packageRoot } from '../../src/package/root.ts';
import { ScriptError } from './script.ts';

/** Runs Node in the repository's folder on this terminal, and resolves with its exit code. */
export function runNode(...args: readonly string[]): Promise<number> {
  return runProgram(process.execPath, ...args);
}

/** The same for another program. */
export async function runProgram(program: string, ...args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { cwd: packageRoot(), stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (typeof code === 'number') return code;
  throw new ScriptError(`${program} ${args.join(' ')} ended by ${signal}`);
}
