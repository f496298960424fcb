import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package/root.ts';

const run = promisify(execFile);

/** npm without the settings of the `npm run` that started the tests. */
function npm(args: readonly string[], cwd: string) {
  const { PATH, HOME } = process.env;
  return run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd, env: { PATH, HOME } });
}

/** The tarball that `npm publish` would publish of a package in `packages/`. */
export async function tarballOf(name: 'client' | 'cli', folder: string): Promise<string> {
  const { stdout } = await npm(
    ['pack', '--silent', '--pack-destination', folder],
    join(packageRoot(), 'packages', name),
  );
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** Installs packages (names with versions, tarballs) from npm into a new folder that has nothing else. */
export async function installInto(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "shop", "private": true }\n');
  await npm(['install', '--ignore-scripts', ...packages], folder);
}

/** A program that runs JavaScript, as npm has it. */
export interface Runtime {
  /** The program, and its arguments before the file. */
  readonly command: readonly [program: string, ...args: string[]];
}

const ARCH = { x64: ['x64', 'x64', 'x64', '64'], arm64: ['arm64', 'aarch64', 'arm64', 'arm64'] } as const;
const [NODE_ARCH, BUN_ARCH, DENO_ARCH, WORKERD_ARCH] = process.arch === 'arm64' ? ARCH.arm64 : ARCH.x64;

const node = (version: string) => ({
  from: `node-linux-${NODE_ARCH}`,
  version,
  program: 'bin/node',
  args: [],
});

const SOURCES = {
  'Node 18': node('18'),
  'Node 20.19': node('20.19'),
  'Node 22': node('22'),
  'Node 24': node('24'),
  Bun: { from: `@oven/bun-linux-${BUN_ARCH}`, version: '1', program: 'bin/bun', args: ['run'] },
  Deno: {
    from: `@deno/linux-${DENO_ARCH}-glibc`,
    version: '2',
    program: 'deno',
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
  },
  // Of Cloudflare Workers.
  workerd: {
    from: `@cloudflare/workerd-linux-${WORKERD_ARCH}`,
    version: '1',
    program: 'bin/workerd',
    args: ['serve'],
  },
} as const;

export type RuntimeName = keyof typeof SOURCES;

/**
 * The runtime, installed below `folder`. null: it cannot be had here, because npm does not answer or has none for this
 * system.
 */
export async function runtime(name: RuntimeName, folder: string): Promise<Runtime | null> {
  const { from, version, program, args } = SOURCES[name];
  const home = join(folder, name.replaceAll(/\W/g, '-'));
  try {
    await installInto(home, [`${from}@${version}`]);
    const command = [join(home, 'node_modules', from, program), ...args] as const;
    await run(command[0], ['--version']);
    return { command };
  } catch {
    return null;
  }
}
