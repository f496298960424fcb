import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Copy } from './copy.ts';
import { type Catcher, patternOf } from './mutant.ts';

/** One test that has run. */
export interface Ran {
  readonly file: string;
  /** With the names of its blocks. */
  readonly fullName: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed';
}

interface TestRun {
  readonly ran: readonly Ran[];
  /** Why some tests gave no verdict: their files could not run, or took too long. */
  readonly problems: readonly string[];
}

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), title: z.string(), status: z.string() })),
    }),
  ),
});

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/** Runs the tests that these catchers name in a copy, and no others of their files. */
export async function runTests(
  catchers: readonly Catcher[],
  { tree, report: outputFile }: Pick<Copy, 'tree' | 'report'>,
  withinMs: number,
  signal: AbortSignal,
): Promise<TestRun> {
  await rm(outputFile, { force: true });
  const names = [...new Set(catchers.map(patternOf))];
  const args = [
    ...['--import', 'tsx', join(tree, 'node_modules/jest/bin/jest.js')],
    ...['--rootDir', tree, '--maxWorkers', '1', '--silent', '--json', '--outputFile', outputFile],
    ...['--testNamePattern', names.join('|'), '--runTestsByPath', ...new Set(catchers.map(({ file }) => file))],
  ];
  const child = spawn(process.execPath, args, { cwd: tree, stdio: 'ignore', detached: true });
  const isLate = await endedLate(child, withinMs, signal);
  const late = isLate ? [`no verdict after ${withinMs / 1_000} s`] : [];
  const text = await readFile(outputFile, 'utf8').catch(() => null);
  if (text === null) return { ran: [], problems: isLate ? late : ['the tests wrote no report'] };
  const { ran, problems } = readReport(text, tree, catchers);
  return { ran, problems: [...late, ...problems] };
}

/** Waits at most `withinMs` for the tests and all their processes. True: they had to be killed. */
async function endedLate(child: ReturnType<typeof spawn>, withinMs: number, signal: AbortSignal): Promise<boolean> {
  const { pid } = child;
  const end = (by: NodeJS.Signals): void => {
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-pid, by);
  };
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    end('SIGTERM');
  }, withinMs);
  const tooLate = setTimeout(() => end('SIGKILL'), withinMs + GRACE_MS);
  const interrupt = (): void => end('SIGTERM');
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await once(child, 'exit');
  } finally {
    clearTimeout(late);
    clearTimeout(tooLate);
    signal.removeEventListener('abort', interrupt);
  }
  signal.throwIfAborted();
  return isLate;
}

/** True if this test is the one that the catcher names. */
export function isNamed({ file, name }: Pick<Ran, 'file' | 'name'>, catcher: Catcher): boolean {
  return file === catcher.file && new RegExp(`^${patternOf(catcher)}`).test(name);
}

function readReport(text: string, tree: string, catchers: readonly Catcher[]): TestRun {
  const ran: Ran[] = [];
  const problems: string[] = [];
  for (const { name: path, message, assertionResults } of report.parse(JSON.parse(text)).testResults) {
    const file = relative(tree, path);
    if (assertionResults.length === 0) problems.push(`${file}: ${message.trim()}`);
    for (const { fullName, title: name, status: outcome } of assertionResults) {
      const isWanted = catchers.some((catcher) => isNamed({ file, name }, catcher));
      if (isWanted && (outcome === 'passed' || outcome === 'failed')) ran.push({ file, fullName, name, outcome });
    }
  }
  return { ran, problems };
}
