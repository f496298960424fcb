import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Command, commandOf, type Program } from '../../../scripts/lib/build.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** A script as somebody runs it from a shell. */
export interface RunningScript {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when what the script has printed on stdout or on stderr matches `pattern`. */
  says(pattern: RegExp): Promise<void>;
  readonly ended: Promise<ScriptEnd>;
}

export interface ScriptEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `scripts/<name>`. Its environment has only the necessary variables of the test's own, and `environment`. */
export function startScript(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  command: (program: Program) => Command = commandOf,
): RunningScript {
  const child = spawn(process.execPath, [...command(`scripts/${name}`), ...args], {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(child, 'close').then((): ScriptEnd => ({ exitCode: child.exitCode, ...said }));
  const says = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = () => {
        if (pattern.test(said.stdout) || pattern.test(said.stderr)) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', check);
      void ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${said.stdout}${said.stderr}`)));
      check();
    });
  return { child, says, ended };
}

type Start = Parameters<typeof startScript>;

/** Runs `scripts/<name>` to its end. */
export function runScript(...start: Start): Promise<ScriptEnd> {
  return startScript(...start).ended;
}

export function runOps(...[name, args, ...how]: Start): Promise<ScriptEnd> {
  return runScript('ops', [name, ...args], ...how);
}

const TIDELINE: Command = ['--import', 'tsx', 'packages/cli/src/main.ts'];

/** Starts `npm run tideline`. */
export function startTideline(args: readonly string[]): RunningScript {
  return startScript('', args, {}, () => TIDELINE);
}

export function runTideline(args: readonly string[]): Promise<ScriptEnd> {
  return startTideline(args).ended;
}
