/** What the plain part of YAML can say that our files keep to. */
export type Plain = string | null | readonly Plain[] | { readonly [key: string]: Plain };

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/**
 * Reads the part of YAML that the files of this repository keep to: maps and lists by indentation, scalars plain or in double
 * quotes, lists of scalars in brackets on one line, whole-line comments. Every scalar is a string. Whatever else stands in a
 * file is an error that names its line: the files are held to what is read here as every reader of YAML reads it.
 */
export function readPlainYaml(source: string): Plain {
  const lines = source.split('\n').flatMap((raw, index): Line[] => {
    const text = raw.trimEnd();
    if (text.trim() === '' || text.trim().startsWith('#')) return [];
    const indent = text.length - text.trimStart().length;
    const line = { number: index + 1, indent, text: text.trim() };
    if (text.includes('\t')) throw bad(line, 'a tab');
    return [line];
  });
  const reader = new Reader(lines);
  const value = reader.block(0);
  reader.requireEnd();
  return value;
}

class Reader {
  #lines: Line[];

  constructor(lines: readonly Line[]) {
    this.#lines = [...lines];
  }

  requireEnd(): void {
    const [left] = this.#lines;
    if (left) throw bad(left, 'an indentation that no line before it opens');
  }

  /** What is indented by exactly so much. */
  block(indent: number): Plain {
    const [first] = this.#lines;
    if (!first || first.indent < indent) return null;
    if (first.indent > indent) throw bad(first, `${first.indent} spaces where ${indent} were expected`);
    return first.text.startsWith('- ') ? this.#list(indent) : this.#map(indent);
  }

  #list(indent: number): Plain {
    const items: Plain[] = [];
    for (;;) {
      const [line] = this.#lines;
      if (!line || line.indent !== indent) return items;
      if (!line.text.startsWith('- ')) throw bad(line, 'a key among the items of a list');
      const rest = line.text.slice(2).trim();
      if (keyOf(rest) === null) {
        this.#lines.shift();
        items.push(scalar(line, rest));
        continue;
      }
      this.#lines[0] = { ...line, indent: indent + 2, text: rest };
      items.push(this.#map(indent + 2));
    }
  }

  #map(indent: number): Plain {
    const entries = new Map<string, Plain>();
    for (;;) {
      const [line] = this.#lines;
      if (!line || line.indent !== indent || line.text.startsWith('- ')) return Object.fromEntries(entries);
      const found = keyOf(line.text);
      if (found === null) throw bad(line, 'no key');
      if (entries.has(found.key)) throw bad(line, `the key ${found.key} a second time`);
      this.#lines.shift();
      entries.set(found.key, found.rest === '' ? this.#below(indent) : scalar(line, found.rest));
    }
  }

  #below(indent: number): Plain {
    const [next] = this.#lines;
    return next && next.indent > indent ? this.block(next.indent) : null;
  }
}

function keyOf(text: string): { readonly key: string; readonly rest: string } | null {
  const match = /^([A-Za-z_][\w.-]*):(?: +(.*))?$/.exec(text);
  return match?.[1] === undefined ? null : { key: match[1], rest: match[2] ?? '' };
}

function scalar(line: Line, text: string): Plain {
  if (text.startsWith('[')) {
    if (!text.endsWith(']')) throw bad(line, 'a list in brackets that does not end on its line');
    return partsOf(text.slice(1, -1)).map((part) => scalar(line, part));
  }
  if (text.startsWith('"')) return quoted(line, text);
  if (/^(?:[&*!|>'%@`{}[\],?]|- )|: |:$| #/.test(text)) throw bad(line, `${text}, which has to stand in double quotes`);
  return text;
}

function quoted(line: Line, text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // Said below.
  }
  throw bad(line, `${text}, which is no text in double quotes`);
}

/** At the commas outside of quotes. */
function partsOf(text: string): string[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|[^,"]+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

function bad({ number }: Line, found: string): Error {
  return new Error(`line ${number}: found ${found}`);
}
