import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LIST = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
const LIST_MAX_BYTES = 16 * 1024 * 1024;

/** The files of a repository in the working tree, including uncommitted ones, without ignored or deleted ones. */
export async function filesOf(root: string): Promise<string[]> {
  const { stdout } = await run('git', LIST, { cwd: root, maxBuffer: LIST_MAX_BYTES });
  const deleted = await run('git', ['ls-files', '--deleted', '-z'], { cwd: root, maxBuffer: LIST_MAX_BYTES });
  const gone = new Set(deleted.stdout.split('\0'));
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '' && !gone.has(file));
}

/**
 * Makes `tree` a copy of these files of `root`, and deletes its old content. Files are copied, not linked, so that
 * changes do not affect the originals. The installed packages are the originals.
 */
export async function makeTree(root: string, files: readonly string[], tree: string): Promise<void> {
  await rm(tree, { recursive: true, force: true });
  for (const folder of new Set(files.map((file) => dirname(join(tree, file)))))
    await mkdir(folder, { recursive: true });
  await Promise.all(files.map((file) => copyFile(join(root, file), join(tree, file))));
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
}
