import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');

/** What Node is started with to be a process of the service. */
export type Command = readonly string[];

/** The sources, through tsx, as `npm start` starts them; beside compiled scripts the compiled service. */
export function sourceCommand(): Command {
  const isBuilt = import.meta.url.endsWith('.js');
  const main = fileURLToPath(new URL(`../../src/main.${isBuilt ? 'js' : 'ts'}`, import.meta.url));
  return isBuilt ? [main] : ['--import', 'tsx', main];
}

/**
 * The service as `npm run build` makes it, in `folder`: where many processes are started, compiling once saves each of them
 * about half of its start. Where the compiler is not installed, the sources.
 */
export async function builtCommand(folder: string): Promise<Command> {
  if (import.meta.url.endsWith('.js') || !existsSync(COMPILER)) return sourceCommand();
  await mkdir(folder, { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const output = join(folder, 'dist');
  const flags = ['-p', join(ROOT, 'tsconfig.build.json'), '--noCheck', '--sourceMap', 'false', '--outDir', output];
  await promisify(execFile)(process.execPath, [COMPILER, ...flags], { cwd: ROOT });
  return [join(output, 'src/main.js')];
}
