/** A word that this code does not use, from the table `| not | but |` of the glossary. */
export interface ReplacedWord {
  readonly word: string;
  /** The replacement in the table. */
  readonly write: string;
  /** Names with this word that stay, because they are stored or belong to others. */
  readonly names: ReadonlySet<string>;
}

export interface FoundWord {
  /** From 1. */
  readonly line: number;
  /** The whole name around the word. */
  readonly found: string;
  readonly write: string;
}

/** The rows of the glossary's table of replaced words; empty if there is no such table. */
export function replacedWords(glossary: string): ReplacedWord[] {
  const [, table = ''] = glossary.split(/^\| not +\| but +\| names that stay +\|\n/m);
  const rows = table.split('\n').slice(1);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => {
    const [, word = '', write = '', names = ''] = row.split('|').map((cell) => cell.trim());
    return { word, write, names: new Set([...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)) };
  });
}

/**
 * The places where a text has one of these words: alone, in its plural, or as a part of a name in camel case. A name that stays
 * is found too if a comment or document has it without backticks.
 */
export function findWords(text: string, words: readonly ReplacedWord[]): FoundWord[] {
  const lines = text.split('\n');
  return words.flatMap(({ word, write, names }) => {
    const pattern = new RegExp(`(?:(?<![A-Za-z])${word}|${capital(word)})(?:s|es)?(?![a-z])`, 'g');
    return lines.flatMap((line, index) =>
      [...line.matchAll(pattern)]
        .map(({ index: at }) => nameAt(line, at))
        .filter(({ name, from }) => !names.has(name) || (isProse(line) && line[from - 1] !== '`'))
        .map(({ name }) => ({ line: index + 1, found: name, write })),
    );
  });
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
