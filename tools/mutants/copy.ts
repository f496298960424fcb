import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

const run = promisify(execFile);
const LIST_MAX_BYTES = 16 * 1024 * 1024;
const failure = z.object({ code: z.union([z.string(), z.number()]), stderr: z.string().default('') });

export type Copy = Awaited<ReturnType<typeof copyOf>>;

/** Makes a temporary copy of a repository, in which mutants are applied one after another. */
export async function copyOf(root: string) {
  const files = await filesOf(root);
  const scratch = await mkdtemp(join(tmpdir(), 'tideline-mutants-'));
  const tree = join(scratch, 'tree');
  /** Copies the files again, and does not link them, so that changes spare the originals. Packages are linked. */
  const renew = async () => {
    await rm(tree, { recursive: true, force: true });
    for (const folder of new Set(files.map((file) => dirname(join(tree, file)))))
      await mkdir(folder, { recursive: true });
    await Promise.all(files.map((file) => copyFile(join(root, file), join(tree, file))));
    await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  };
  /** Applies a mutant to a new copy; changed contracts are compiled. Why that fails; null: tests can run. */
  const apply = async (mutant: Mutant): Promise<string | null> => {
    await renew();
    const why = await whyNot(tree, mutant, []);
    if (why !== null || !mutant.changes.some((file) => file.endsWith('.sol'))) return why;
    const compile = ['--import', 'tsx', 'scripts/ops.ts', 'contracts', 'compile'];
    const stderr = await stderrOf(process.execPath, compile, tree);
    return stderr === null ? null : `does not compile: ${stderr}`;
  };
  const remove = () => rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  return { tree, report: join(scratch, 'report.json'), renew, apply, remove };
}

/** The files of a repository in the working tree, including uncommitted ones, without ignored or deleted ones. */
async function filesOf(root: string): Promise<string[]> {
  const list = async (...flags: string[]): Promise<string[]> =>
    (await run('git', ['ls-files', ...flags, '-z'], { cwd: root, maxBuffer: LIST_MAX_BYTES })).stdout.split('\0');
  const deleted = new Set(await list('--deleted'));
  const files = await list('--cached', '--others', '--exclude-standard');
  return [...new Set(files)].filter((file) => file !== '' && !deleted.has(file));
}

/** Git's message if a mutant does not apply to a tree; null: it applies. By default the tree stays as it is. */
export async function whyNot(tree: string, { name, path }: Mutant, flags = ['--check']): Promise<string | null> {
  const stderr = await stderrOf('git', ['apply', ...flags, '--whitespace=nowarn', path], tree);
  return stderr === null ? null : `${name} does not apply any more: ${stderr}`;
}

/** What a program says when it fails; null: it succeeds. */
async function stderrOf(program: string, args: readonly string[], cwd: string): Promise<string | null> {
  try {
    // Without the ceiling, git would take a tree below another repository for a folder of that one, and apply nothing.
    await run(program, args, { cwd, env: { ...process.env, GIT_CEILING_DIRECTORIES: cwd, LC_ALL: 'C' } });
    return null;
  } catch (error) {
    const { code, stderr } = failure.parse(error);
    if (code === 'ENOENT')
      throw new Error(`${program} is needed to apply the patches of mutants, and is not installed`);
    return stderr.trim();
  }
}
