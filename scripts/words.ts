import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments, requireNothing } from './lib/arguments.ts';
import { runScript, ScriptError } from './lib/script.ts';
import { findWords, replacedWords } from './words/find.ts';

const usage = `
npm run words
  List the places where code, tests or documents use a word that docs/glossary.md replaces.

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
const TEXT = /\.(css|json|md|patch|sol|tsx?|ya?ml)$/;

async function main(argv: readonly string[]): Promise<number> {
  requireNothing(readArguments(argv, {}).positionals);
  const words = replacedWords(await readFile(join(ROOT, GLOSSARY), 'utf8'));
  if (words.length === 0) throw new ScriptError(`${GLOSSARY} has no table of replaced words: expected | not | but |`);
  const found = (await Promise.all((await paths()).map((path) => findIn(path, words)))).flat();
  for (const line of found) process.stdout.write(`${line}\n`);
  return found.length === 0 ? 0 : 1;
}

async function paths(): Promise<string[]> {
  const lists = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  return [...FILES, ...lists.flat()].filter((path) => path !== GLOSSARY && TEXT.test(path)).sort();
}

async function findIn(path: string, words: ReturnType<typeof replacedWords>): Promise<string[]> {
  return findWords(`${path}\n${await readFile(join(ROOT, path), 'utf8')}`, words).map(({ line, found, write }) => {
    const place = line === 1 ? path : `${path}:${line - 1}`;
    return `${place}: "${found}" is not a word of this code; write ${write}`;
  });
}

await runScript({ usage, main }, process.argv.slice(2));
