import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ScriptError } from '../../scripts/lib/script.ts';
import type { Mutant } from './mutant.ts';

const run = promisify(execFile);

/** Applies a mutant to a tree. Throws a ScriptError with git's message if the sources have changed. */
export async function applyMutant(tree: string, mutant: Mutant): Promise<void> {
  await apply(tree, mutant, []);
}

/** Git's message if a mutant does not apply to a tree; null: it applies. Changes nothing. */
export async function whyNot(tree: string, mutant: Mutant): Promise<string | null> {
  try {
    await apply(tree, mutant, ['--check']);
    return null;
  } catch (error) {
    if (error instanceof ScriptError) return error.message;
    throw error;
  }
}

/**
 * Compiles the contracts of a tree, because its tests deploy the artifacts. Returns the compiler's message; null: it
 * compiles.
 */
export async function compileContracts(tree: string): Promise<string | null> {
  try {
    await run(process.execPath, ['--import', 'tsx', 'scripts/ops.ts', 'contracts', 'compile'], { cwd: tree });
    return null;
  } catch (error) {
    return `does not compile: ${failure.parse(error).stderr.trim()}`;
  }
}

async function apply(tree: string, { name, path }: Mutant, flags: readonly string[]): Promise<void> {
  try {
    // Without the ceiling, git would take a tree below another repository for a folder of that one, and apply nothing.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tree, LC_ALL: 'C' };
    await run('git', ['apply', ...flags, '--whitespace=nowarn', path], { cwd: tree, env });
  } catch (error) {
    const { code, stderr } = failure.parse(error);
    if (code === 'ENOENT') throw new Error('git is needed to apply the patches of mutants, and is not installed');
    throw new ScriptError(`${name} does not apply any more: ${stderr.trim()}`);
  }
}

const failure = z.object({ code: z.union([z.string(), z.number()]), stderr: z.string().default('') });
