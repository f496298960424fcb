import { spawn, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../src/package/root.ts';

export interface Check {
  readonly program: 'forge' | 'halmos' | 'slither';
  readonly args: readonly string[];
  /** More arguments where people watch. */
  readonly argsToShow?: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const MODULES = join(packageRoot(), 'node_modules');
/** `.ci/run` installs Halmos and Slither into a virtual environment of Python there. */
const PYTHON = join(MODULES, '.cache', 'python', 'bin');
const PATH = [join(MODULES, '.bin'), PYTHON, process.env['PATH'] ?? ''].join(delimiter);

/**
 * Foundry calls the contracts in any order, `runs` times from the beginning, each time with 100 calls.
 *
 * @param contract the name of one contract of tests, or a pattern of several
 */
export function properties(runs: number, contract = 'Test$'): Check {
  const variables = { FOUNDRY_INVARIANT_RUNS: String(runs) };
  const args = ['test', '--match-contract', contract];
  return { program: 'forge', args, argsToShow: ['--show-progress'], variables };
}

/** Halmos proves the rules of a mandate for all inputs. */
export const rules: Check = {
  program: 'halmos',
  args: ['--config', 'test/chains/contracts/rules/halmos.toml'],
  variables: { FOUNDRY_PROFILE: 'rules' },
};

/** Slither finds known mistakes, and writes them as JSON. */
export const findings: Check = {
  program: 'slither',
  args: ['.', '--config-file', 'tools/contracts/slither.json', '--json', '-'],
  // Slither deletes older artifacts.
  variables: { FOUNDRY_PROFILE: 'slither' },
};

/** True if the program of a check is installed. If not, says on stderr that the check is skipped. */
export function isInstalled({ program }: Check): boolean {
  if (spawnSync(program, ['--version'], { env: { ...process.env, PATH } }).status === 0) return true;
  process.stderr.write(`\nSKIPPED: ${program}: not here (\`npm ci\` installs forge, \`.ci/run\` the others)\n\n`);
  return false;
}

/** Runs a check, and resolves with its exit code and its output, which is empty if it goes to this terminal. */
export async function runCheck(
  { program, args, argsToShow = [], variables }: Check,
  { isShown, signal }: { readonly isShown: boolean; readonly signal?: AbortSignal },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, isShown ? [...args, ...argsToShow] : args, {
    cwd: packageRoot(),
    env: { ...process.env, PATH, ...variables },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'ignore'],
    ...(signal ? { signal } : {}),
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [output, code] = await Promise.all([child.stdout === null ? '' : text(child.stdout), ended]);
  return { code, output };
}
