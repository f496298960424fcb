import type { Terminal } from '../../scripts/lib/terminal.ts';
import { type Copy, copyOf, whyNot } from './copy.ts';
import type { Catcher, Mutant } from './mutant.ts';
import { isNamed, type Ran, runTests } from './tests.ts';

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
  const { root, mutants, terminal, signal, onJudged } = options;
  const copy = await copyOf(root);
  try {
    const checking = terminal.busy('the tests without any mutant');
    const catchers = mutants.flatMap((mutant) => mutant.catchers);
    const unfit = await unfitOf(copy, catchers, signal).finally(checking);
    const all: Judged[] = [];
    for (const mutant of mutants) {
      signal.throwIfAborted();
      const done = terminal.busy(`${mutant.name} (${all.length + 1} of ${mutants.length})`);
      const began = performance.now();
      const why = mutant.catchers.flatMap((catcher) => unfit.get(catcher) ?? [])[0] ?? (await whyNot(root, mutant));
      const verdict = await verdictOf(copy, mutant, why, signal).finally(done);
      const judged = { mutant, verdict, seconds: (performance.now() - began) / 1_000 };
      onJudged(judged);
      all.push(judged);
    }
    return all;
  } finally {
    await copy.remove();
  }
}

/** The reasons why tests cannot judge mutants: they fail without a mutant, or did not run. */
async function unfitOf(copy: Copy, catchers: readonly Catcher[], signal: AbortSignal): Promise<Map<Catcher, string>> {
  await copy.renew();
  const { ran, problems } = await runTests(catchers, copy, UNPATCHED_MS, signal);
  const unfit = new Map<Catcher, string>();
  for (const catcher of catchers) {
    const name = `${catcher.file} › ${catcher.test}`;
    const own = ran.filter((each) => isNamed(each, catcher));
    if (own.some(({ outcome }) => outcome === 'failed')) unfit.set(catcher, `${name} fails without any mutant`);
    if (own.length === 0) unfit.set(catcher, `${name} did not run: ${problems.join('; ')}`);
  }
  return unfit;
}

/** @param why a reason not to try it */
async function verdictOf(copy: Copy, mutant: Mutant, why: string | null, signal: AbortSignal): Promise<Verdict> {
  const reason = why ?? (await copy.apply(mutant));
  if (reason !== null) return { kind: 'undecided', why: reason };
  const { ran, problems } = await runTests(mutant.catchers, copy, MUTANT_MS, signal);
  const by = ran.filter(({ outcome }) => outcome === 'failed');
  if (by.length > 0) return { kind: 'caught', by };
  return problems.length === 0 ? { kind: 'survived' } : { kind: 'undecided', why: problems.join('; ') };
}
