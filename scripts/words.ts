import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runScript, ScriptError, scriptWith } from './lib/script.ts';
import {
  COMMENT_COLUMNS,
  findInProse,
  findNames,
  findWideComments,
  findWords,
  type ReplacedWord,
  type Table,
  wordsIn,
} from './words/find.ts';

const usage = `
npm run words
  List where code, comments or documents use a word that docs/glossary.md replaces, and comments that are too wide.

Exit codes: 0 none, 1 some, 2 the arguments are wrong.
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GLOSSARY = 'docs/glossary.md';
const FOLDERS = [
  'deploy',
  'devnet',
  'docs',
  'examples',
  'machines',
  'packages',
  'scripts',
  'src',
  'test',
  'tools',
  'stage',
  'web',
];
const FILES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** Files with documents or comments of this code; generated ones have the texts of others. */
const WITH_PROSE = /^(?!packages\/client\/src\/schema\.ts).*\.(md|mjs|tsx?)$/;
/** Packing the packages builds them into their folders. */
const BUILT = /^packages\/\w+\/dist\//;
/** The folders whose names do not have the words of a table of their own. */
const NAMED = /^(machines|scripts|src|stage|tools|web)\/.*\.tsx?$/;
const TEXT = /\.(css|json|md|mjs|patch|sol|tsx?|ya?ml)$/;

async function run(): Promise<number> {
  const glossary = await readFile(join(ROOT, GLOSSARY), 'utf8');
  const words = (table: Table): ReplacedWord[] => {
    const rows = wordsIn(glossary, table);
    if (rows.length === 0) throw new ScriptError(`${GLOSSARY} has no table of words: expected | ${table} | but |`);
    return rows;
  };
  const [names, prose, own] = [words('not'), words('not in prose'), words('not in names')];
  const found = (await Promise.all((await paths()).map((path) => findIn(path, { names, prose, own })))).flat();
  for (const line of found) process.stdout.write(`${line}\n`);
  return found.length === 0 ? 0 : 1;
}

async function paths(): Promise<string[]> {
  const lists = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  return [...FILES, ...lists.flat()].filter((path) => path !== GLOSSARY && TEXT.test(path) && !BUILT.test(path)).sort();
}

type Words = { readonly [kind in 'names' | 'prose' | 'own']: readonly ReplacedWord[] };

async function findIn(path: string, { names, prose, own }: Words): Promise<string[]> {
  const text = await readFile(join(ROOT, path), 'utf8');
  const named = `${path}\n${text}`;
  const inNames = [...findWords(named, names), ...(NAMED.test(path) ? findNames(named, own) : [])].map((word) => ({
    ...word,
    line: word.line - 1,
  }));
  const inProse = WITH_PROSE.test(path) ? findInProse(path, text, prose) : [];
  const wide = WITH_PROSE.test(path) && !path.endsWith('.md') ? findWideComments(text) : [];
  const tooWide = wide.map((line) => `${path}:${line}: a comment passes column ${COMMENT_COLUMNS}; wrap it`);
  const replaced = [...inNames, ...inProse].map(({ line, found, write }) => {
    const where = line === 0 ? path : `${path}:${line}`;
    return `${where}: "${found}" is not a word of this code; write ${write}`;
  });
  return [...replaced, ...tooWide];
}

await runScript(scriptWith({ usage, options: {}, run }), process.argv.slice(2));
