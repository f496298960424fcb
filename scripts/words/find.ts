/** A word that this code does not use, from a table of the glossary. */
export interface ReplacedWord {
  readonly word: string;
  /** The replacement in the table. */
  readonly write: string;
  /** Names with this word, or phrases in which it has its common meaning. */
  readonly stay: readonly string[];
}

export interface FoundWord {
  /** From 1. */
  readonly line: number;
  /** The whole name around the word. */
  readonly found: string;
  readonly write: string;
}

/** The glossary's tables: words of all code, words of names in some folders, and words of prose. */
export type Table = 'not' | 'not in names' | 'not in prose';

/** The rows of one of these tables; empty if there is no such table. */
export function wordsIn(glossary: string, table: Table): ReplacedWord[] {
  const head = new RegExp(`^\\| ${table} +\\| but +\\| (?:names|phrases) that stay +\\|\\n`, 'm');
  const [, below = ''] = glossary.split(head);
  const [rows = ''] = below.split(/^(?!\|)/m);
  return rows.trim().split('\n').slice(1).map(wordIn);
}

function wordIn(row: string): ReplacedWord {
  const [, word = '', write = '', stay = ''] = row.split('|').map((cell) => cell.trim());
  return { word, write, stay: stay.replaceAll('`', '').split(/, */).filter(Boolean) };
}

/** Where a text has one of these words: alone, in its plural, or in a camel-case name (not in backticks). */
export function findWords(text: string, words: readonly ReplacedWord[]): FoundWord[] {
  return found(text.split('\n'), words, (line, from) => isProse(line) && line[from - 1] !== '`');
}

/** As `findWords`, in the names of code alone: comments and sentences in strings do not count. */
export function findNames(text: string, words: readonly ReplacedWord[]): FoundWord[] {
  return found(text.split('\n').map(withoutProse), words, () => false);
}

/** `isCounted`: also a name that stays, at this position of a line. */
function found(
  lines: readonly string[],
  words: readonly ReplacedWord[],
  isCounted: (line: string, from: number) => boolean,
): FoundWord[] {
  return words.flatMap(({ word, write, stay }) =>
    lines.flatMap((line, index) =>
      namesWith(line, word)
        .filter(({ name, from }) => !stay.includes(name) || isCounted(line, from))
        .map(({ name }) => ({ line: index + 1, found: name, write })),
    ),
  );
}

/** A line of code without its comment and its strings that are no names; expressions in templates stay. */
function withoutProse(line: string): string {
  if (/^\s*(\/?\*|\/\/)/.test(line)) return '';
  return line
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, (text) => {
      if (text.startsWith('`')) return [...text.matchAll(/\$\{[^}]*\}/g)].join(' ');
      return /[ -]/.test(text) ? '' : text;
    })
    .replace(/ \/\/ .*/, '');
}

/** In documents and comments, alone or in the plural, whatever the capitals; without fences and backticks. */
export function findInProse(path: string, text: string, words: readonly ReplacedWord[]): FoundWord[] {
  const prose = path.endsWith('.md') ? proseOfDocument(text) : proseOfCode(text);
  return words.flatMap(({ word, write, stay }) => {
    const pattern = new RegExp(`(?<![\\w-])${word}s?(?![\\w-])`, 'gi');
    return prose.flatMap((line, index) => {
      const rest = stay.reduce((left, phrase) => left.replaceAll(phrase, ''), line);
      return [...rest.matchAll(pattern)].map(([found]) => ({ line: index + 1, found, write }));
    });
  });
}

const CODE = /`[^`]*`/g;

/** The lines of a document, empty within fences. */
function proseOfDocument(text: string): string[] {
  let isFenced = false;
  return text.split('\n').map((line) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? '' : line.replaceAll(CODE, '').replaceAll(/\]\([^)]*\)/g, ']');
  });
}

function proseOfCode(text: string): string[] {
  return text.split('\n').map((line) => {
    const [, comment = ''] = /^\s*(?:\/?\*+|\/\/)(.*)/.exec(line) ?? / \/\/ (.*)/.exec(line) ?? [];
    return comment.replaceAll(CODE, '');
  });
}

/** Comments do not pass this column; the formatter does not wrap them. */
export const COMMENT_COLUMNS = 120;

/** The lines, from 1, whose comment is wider than `COMMENT_COLUMNS`. Addresses and directives cannot be wrapped. */
export function findWideComments(text: string): number[] {
  return text.split('\n').flatMap((line, index) => {
    const isWide = line.length > COMMENT_COLUMNS && /^\s*(\/?\*{1,2}|\/\/)\s/.test(`${line} `);
    return isWide && !/https?:\/\/|biome-ignore/.test(line) ? [index + 1] : [];
  });
}

/** The names of a line that have the word: alone, in its plural, or as a part in camel case. */
function namesWith(line: string, word: string): { readonly name: string; readonly from: number }[] {
  const pattern = new RegExp(`(?:(?<![A-Za-z])${word}|${capital(word)})(?:s|es)?(?![a-z])`, 'g');
  return [...line.matchAll(pattern)].map(({ index }) => nameAt(line, index));
}

/** The whole name around a position. */
function nameAt(line: string, at: number): { readonly name: string; readonly from: number } {
  const [before = ''] = /\w*$/.exec(line.slice(Math.max(0, at - NAME_MAX), at)) ?? [];
  const [behind = ''] = /^\w*/.exec(line.slice(at, at + NAME_MAX)) ?? [];
  return { name: before + behind, from: at - before.length };
}

/** A limit, because the bytecode of a contract is one word of many thousand letters. */
const NAME_MAX = 200;

/** True for a line of a comment or document. */
function isProse(line: string): boolean {
  return /^\s*(\/?\*|\/\/|#|[-*|>] |[A-Z])/.test(line);
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
