import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../scripts/lib/script.ts';

/** A test that must fail while a mutant is applied. */
export interface Catcher {
  /** The file of the test, relative to the repository's root. */
  readonly file: string;
  /** The test's own name as written, without the names of its blocks; `%s` and similar stand for any text. */
  readonly test: string;
}

/** A regular expression for the names of tests that are written as `test`. */
export function patternOf({ test }: Catcher): string {
  const escaped = test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return `${escaped.replaceAll(/%[a-z]/g, '.+')}$`;
}

/** A deliberate bug: a patch of the sources, and the tests that must notice it. */
export interface Mutant {
  /** The name of the file without `.patch`. */
  readonly name: string;
  /** The bug in a sentence or two. */
  readonly bug: string;
  /** The row of docs/rules.md, "Failure catalogue", or the rule that the bug breaks. */
  readonly standsFor: string;
  readonly catchers: readonly Catcher[];
  /** The absolute path of the patch. */
  readonly path: string;
  /** The files that the patch changes, relative to the repository's root. */
  readonly changes: readonly string[];
}

/** The folder of mutants, relative to the repository's root. */
const MUTANTS = 'test/mutants';

const PATCH = '.patch';
const STANDS_FOR = 'Stands for: ';
const CAUGHT_BY = 'Caught by: ';
const BEFORE_TEST = ' › ';

/** Every mutant of a repository, by name. */
export async function readMutants(root: string): Promise<Mutant[]> {
  const folder = join(root, MUTANTS);
  const files = (await readdir(folder)).filter((file) => file.endsWith(PATCH)).sort();
  return Promise.all(
    files.map(async (file) => parseMutant(join(folder, file), await readFile(join(folder, file), 'utf8'))),
  );
}

/** The mutants with these names, or all if there are none. Throws a UsageError for an unknown name. */
export function chosen(mutants: readonly Mutant[], names: readonly string[]): readonly Mutant[] {
  const unknown = names.find((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown !== undefined) throw new UsageError(`unknown mutant ${unknown}: expected one of ${MUTANTS}/*${PATCH}`);
  return names.length === 0 ? mutants : mutants.filter(({ name }) => names.includes(name));
}

/**
 * Parses a patch with its header: the bug in words, a line `Stands for: …`, and one line `Caught by: FILE › TEST` for
 * each test that must notice it. Throws an Error with the file and the missing part.
 */
export function parseMutant(path: string, text: string): Mutant {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.startsWith('diff --git '));
  const header = end === -1 ? [] : lines.slice(0, end);
  const after = (words: string) =>
    header.filter((line) => line.startsWith(words)).map((line) => line.slice(words.length));
  const isProse = (line: string) => line.trim() !== '' && !line.startsWith(STANDS_FOR) && !line.startsWith(CAUGHT_BY);
  const bug = header.filter(isProse).join(' ');
  const [standsFor] = after(STANDS_FOR);
  const catchers = after(CAUGHT_BY).map((line) => catcherOf(path, line));
  const changes = lines.filter((line) => line.startsWith('+++ b/')).map((line) => line.slice('+++ b/'.length));
  if (changes.length === 0) throw new Error(`${path}: expected a diff as git makes it`);
  if (bug === '' || standsFor === undefined || catchers.length === 0) {
    throw new Error(
      `${path}: expected above the diff a sentence, "${STANDS_FOR}…" and "${CAUGHT_BY}FILE${BEFORE_TEST}TEST"`,
    );
  }
  return { name: basename(path, PATCH), bug, standsFor, catchers, path, changes };
}

function catcherOf(path: string, line: string): Catcher {
  const at = line.indexOf(BEFORE_TEST);
  if (at === -1) throw new Error(`${path}: "${CAUGHT_BY}${line}" names no test; expected FILE${BEFORE_TEST}TEST`);
  return { file: line.slice(0, at), test: line.slice(at + BEFORE_TEST.length) };
}

const QUOTES = ["'", '"', '`'];

/** True if a catcher's test is written in its file, or, for a shared suite, in a file of the same folder or below. */
export async function isWritten(root: string, { file, test }: Catcher): Promise<boolean> {
  const folder = join(root, dirname(file));
  const entries = await readdir(folder, { recursive: true });
  const sources = entries.filter((entry) => entry.endsWith('.ts')).map((entry) => join(folder, entry));
  const own = join(root, file);
  if (!sources.includes(own)) return false;
  for (const source of [own, ...sources]) {
    const text = await readFile(source, 'utf8');
    if (QUOTES.some((quote) => text.includes(`${quote}${test}${quote}`))) return true;
  }
  return false;
}
