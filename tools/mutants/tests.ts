import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { type Catcher, patternOf } from './mutant.ts';

/** One test that has run. */
export interface Ran {
  readonly file: string;
  /** With the names of its blocks. */
  readonly fullName: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed';
}

/** The result of running some tests. */
export interface TestRun {
  readonly ran: readonly Ran[];
  /** Files in which no test could run, with the errors. They give no verdict about their tests. */
  readonly broken: readonly string[];
  readonly isLate: boolean;
  readonly seconds: number;
}

export interface TestOptions {
  /** The folder with the files. */
  readonly tree: string;
  /** The folder for the report. */
  readonly scratch: string;
  readonly withinMs: number;
  readonly signal: AbortSignal;
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

/** Runs the tests that these catchers name, and no others of their files. */
export async function runTests(catchers: readonly Catcher[], options: TestOptions): Promise<TestRun> {
  const { tree, scratch, withinMs, signal } = options;
  const outputFile = join(scratch, 'report.json');
  await rm(outputFile, { force: true });
  const files = [...new Set(catchers.map(({ file }) => file))];
  const names = [...new Set(catchers.map(patternOf))];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...[
        '--import',
        'tsx',
        join(tree, 'node_modules/jest/bin/jest.js'),
        '--rootDir',
        tree,
        '--maxWorkers',
        '1',
        '--silent',
      ],
      ...['--json', '--outputFile', outputFile, '--testNamePattern', names.join('|')],
      ...['--runTestsByPath', ...files],
    ],
    { cwd: tree, stdio: 'ignore', detached: true },
  );
  const isLate = await endedLate(child, withinMs, signal);
  const seconds = (performance.now() - began) / 1_000;
  const text = await readFile(outputFile, 'utf8').catch(() => null);
  if (text === null) return { ran: [], broken: isLate ? [] : ['the tests wrote no report'], isLate, seconds };
  return { ...readReport(text, tree, catchers), isLate, seconds };
}

/**
 * Waits at most `withinMs` for the end of the tests and of all processes that they started. True: they had to be
 * killed.
 */
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
export function isNamed(title: string, catcher: Catcher): boolean {
  return new RegExp(`^${patternOf(catcher)}`).test(title);
}

function readReport(text: string, tree: string, catchers: readonly Catcher[]): Pick<TestRun, 'ran' | 'broken'> {
  const ran: Ran[] = [];
  const broken: string[] = [];
  for (const { name: path, message, assertionResults } of report.parse(JSON.parse(text)).testResults) {
    const file = relative(tree, path);
    const wanted = catchers.filter((each) => each.file === file);
    if (assertionResults.length === 0) broken.push(`${file}: ${message.trim()}`);
    for (const { fullName, title, status } of assertionResults) {
      if (status !== 'passed' && status !== 'failed') continue;
      if (!wanted.some((catcher) => isNamed(title, catcher))) continue;
      ran.push({ file, fullName, name: title, outcome: status });
    }
  }
  return { ran, broken };
}
