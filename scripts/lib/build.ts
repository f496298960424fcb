import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');

/** Names a folder in which `build` has compiled the sources already, as a test run does for all its files. */
export const BUILD_FOLDER = 'TIDELINE_BUILD_FOLDER';

/** A file that is a process of its own, from the root of the repository and without its extension: `src/main`. */
export type Program = `${'src' | 'scripts'}/${string}`;

/** What keeps the local chains and the embedded database: for `joinDevnet`. */
export const SUPERVISOR: Program = 'src/devnet/supervisor';

/** What Node is started with to run a program. */
export type Command = readonly string[];

/** As it is at hand: beside compiled code and in `BUILD_FOLDER` compiled, else the source. */
export function commandOf(program: Program): Command {
  if (import.meta.url.endsWith('.js')) return [fileURLToPath(new URL(`../../${program}.js`, import.meta.url))];
  const folder = process.env[BUILD_FOLDER];
  return folder === undefined ? sourceCommand(program) : [compiledIn(folder, program)];
}

/** The source through tsx, as `npm start` and `npm run` start it. */
export function sourceCommand(program: Program): Command {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--import', tsx, join(ROOT, `${program}.ts`)];
}

/**
 * Compiled, at the first call by this process unless it is at hand: where many processes are started, that saves each of them
 * half of its start. Gone with this process. Where the compiler is not installed, `commandOf`.
 */
export async function builtCommand(program: Program): Promise<Command> {
  if (import.meta.url.endsWith('.js') || process.env[BUILD_FOLDER] !== undefined || !existsSync(COMPILER)) {
    return commandOf(program);
  }
  ownBuild ??= buildForThisProcess();
  return [compiledIn(await ownBuild, program)];
}

let ownBuild: Promise<string> | null = null;

async function buildForThisProcess(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build(folder);
  return folder;
}

/** Compiles machines, service and scripts into `folder/dist`, as `npm run build` does, without looking at their types. */
export async function build(folder: string): Promise<void> {
  const output = join(folder, 'dist');
  await mkdir(output, { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const flags = ['-p', join(ROOT, 'tsconfig.build.json'), '--noCheck', '--sourceMap', 'false', '--outDir', output];
  await promisify(execFile)(process.execPath, [COMPILER, ...flags], { cwd: ROOT });
}

function compiledIn(folder: string, program: Program): string {
  return join(folder, 'dist', `${program}.js`);
}
