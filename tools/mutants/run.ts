import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from '../../scripts/lib/terminal.ts';
import type { Catcher, Mutant } from './mutant.ts';
import { applyMutant, compileContracts, whyNot } from './patch.ts';
import { isNamed, type Ran, runTests, type TestOptions } from './tests.ts';
import { filesOf, makeTree } from './tree.ts';

/** The result of a mutant. Only `caught` is good. */
export type Verdict =
  | { readonly kind: 'caught'; readonly by: readonly Ran[] }
  /** All tests that should notice it have passed. */
  | { readonly kind: 'survived' }
  /** No result: the patch does not apply, or the tests could not run or took too long. */
  | { readonly kind: 'undecided'; readonly why: string };

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

export interface RunOptions {
  readonly root: string;
  readonly mutants: readonly Mutant[];
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Gets each result at once. */
  readonly onJudged: (judged: Judged) => void;
}

/** The time limits: of one mutant, and of all tests together without a mutant. */
const MUTANT_MS = 120_000;
const UNPATCHED_MS = 600_000;

/**
 * Runs, for each mutant, the tests that must notice it, on a temporary copy of the repository with that mutant. Before
 * that it runs all of these tests without mutants; a mutant with a test that fails there gets no verdict.
 */
export async function runMutants(options: RunOptions): Promise<Judged[]> {
  const { root, mutants, terminal, signal } = options;
  const scratch = await mkdtemp(join(tmpdir(), 'tideline-mutants-'));
  const workshop: Workshop = { root, files: await filesOf(root), tree: join(scratch, 'tree'), scratch, signal };
  try {
    const checking = terminal.busy('the tests without any mutant');
    const unfit = await findUnfit(workshop, mutants).finally(checking);
    const all: Judged[] = [];
    for (const mutant of mutants) {
      signal.throwIfAborted();
      const done = terminal.busy(`${mutant.name} (${all.length + 1} of ${mutants.length})`);
      const judged = await judge(workshop, mutant, unfit).finally(done);
      options.onJudged(judged);
      all.push(judged);
    }
    return all;
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Workshop {
  readonly root: string;
  readonly files: readonly string[];
  /** The copy, made again for each mutant. */
  readonly tree: string;
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** The reasons why tests cannot judge mutants: they fail without a mutant, or did not run. */
type Unfit = ReadonlyMap<Catcher, string>;

async function findUnfit(workshop: Workshop, mutants: readonly Mutant[]): Promise<Unfit> {
  await makeTree(workshop.root, workshop.files, workshop.tree);
  const catchers = mutants.flatMap((mutant) => mutant.catchers);
  const { ran, broken, isLate } = await runTests(catchers, { ...optionsOf(workshop), withinMs: UNPATCHED_MS });
  const unfit = new Map<Catcher, string>();
  for (const catcher of catchers) {
    const own = ran.filter((each) => isOf(each, catcher));
    if (own.some(({ outcome }) => outcome === 'failed')) unfit.set(catcher, 'fails without any mutant');
    if (own.length > 0) continue;
    const said = broken.find((text) => text.startsWith(catcher.file));
    unfit.set(catcher, isLate ? `did not run within ${UNPATCHED_MS / 1_000} s` : (said ?? 'did not run'));
  }
  return unfit;
}

function unfitness({ catchers }: Mutant, unfit: Unfit): string | null {
  const [first] = catchers.filter((catcher) => unfit.has(catcher));
  return first === undefined ? null : `${first.file} › ${first.test} ${unfit.get(first)}`;
}

function isOf({ file, name }: Ran, catcher: Catcher): boolean {
  return file === catcher.file && isNamed(name, catcher);
}

function optionsOf({ tree, scratch, signal }: Workshop): TestOptions {
  return { tree, scratch, signal, withinMs: MUTANT_MS };
}

async function judge(workshop: Workshop, mutant: Mutant, unfit: Unfit): Promise<Judged> {
  const why = unfitness(mutant, unfit) ?? (await whyNot(workshop.root, mutant));
  if (why !== null) return { mutant, verdict: { kind: 'undecided', why }, seconds: 0 };
  await makeTree(workshop.root, workshop.files, workshop.tree);
  await applyMutant(workshop.tree, mutant);
  if (mutant.changes.some((file) => file.endsWith('.sol'))) {
    const problem = await compileContracts(workshop.tree);
    if (problem !== null) return { mutant, verdict: { kind: 'undecided', why: problem }, seconds: 0 };
  }
  const { ran, broken, isLate, seconds } = await runTests(mutant.catchers, optionsOf(workshop));
  const by = ran.filter(({ outcome }) => outcome === 'failed');
  if (by.length > 0) return { mutant, verdict: { kind: 'caught', by }, seconds };
  if (isLate)
    return { mutant, verdict: { kind: 'undecided', why: `no verdict after ${MUTANT_MS / 1_000} s` }, seconds };
  if (broken.length > 0) return { mutant, verdict: { kind: 'undecided', why: broken.join('; ') }, seconds };
  return { mutant, verdict: { kind: 'survived' }, seconds };
}
