import bidiFactory from 'bidi-js/dist/bidi.mjs';

/** A font of the list, as far as it decides which texts it can write. */
export interface Glyphs {
  readonly name: string;
  hasGlyphForCodePoint(codePoint: number): boolean;
}

/** A part of a line in one font and one direction, to be drawn from left to right after the run before it. */
export interface Run {
  readonly font: string;
  readonly text: string;
}

export type Direction = 'ltr' | 'rtl';

const bidi = bidiFactory();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** They decide the order and the form of others, and are not drawn. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}]/gu;
/** What a font turns round by itself. */
const ARABIC = /\p{Script_Extensions=Arabic}/u;
/** Arabic digits, which are read from left to right nevertheless. */
const DIGITS = /^[\u0660-\u0669\u06f0-\u06f9]+$/;

/** No line ends after the first, or begins with the second. */
const OPENING = /[\p{Ps}\p{Pi}\u2066-\u2068]$/u;
const CLOSING = /^[\p{Pe}\p{Pf}\u2069.,;:!?\u060c\u3001\u3002]/u;

/** The text in signs that some font has: any other is named by its number, so that nothing is lost. */
export function legible(text: string, fonts: readonly Glyphs[]): string {
  const named = (sign: string) => [...sign].map((each) => `U+${each.codePointAt(0)?.toString(16).toUpperCase()}`);
  return Array.from(graphemes.segment(text.replaceAll(/[\t\r]/g, ' ')), ({ segment }) =>
    segment === '\n' || fontOf(segment, fonts) !== undefined ? segment : `[${named(segment).join(' ')}]`,
  ).join('');
}

/**
 * The lines of a text of at most this width, each as its runs from left to right (Unicode UAX #9). A word that is too
 * long is divided. `widthOf`: of the runs of a text in one line.
 */
export function linesOf(
  text: string,
  fonts: readonly Glyphs[],
  direction: Direction,
  fits: (runs: readonly Run[]) => boolean,
): Run[][] {
  const lines = legible(text, fonts)
    .split('\n')
    .flatMap((paragraph) => wrapped(paragraph, (line) => fits(runsOf(line, fonts, direction))));
  return lines.map((line) => runsOf(line, fonts, direction));
}

/** The runs of one line, from left to right. */
export function runsOf(line: string, fonts: readonly Glyphs[], direction: Direction): Run[] {
  const embedding = bidi.getEmbeddingLevels(line, direction);
  const levelled: { readonly font: string; readonly level: number; readonly text: string }[] = [];
  for (const { segment, index } of graphemes.segment(line)) {
    const level = embedding.levels[index] ?? 0;
    const before = levelled.at(-1);
    // A blank stays in the font beside it, so that a run has whole words.
    const own = fontOf(segment, fonts) ?? fonts[0];
    const font = (/^\s+$/.test(segment) ? before?.font : undefined) ?? own?.name ?? '';
    const text = level % 2 === 1 ? (bidi.getMirroredCharacter(segment) ?? segment) : segment;
    if (before !== undefined && before.level === level && before.font === font) {
      levelled[levelled.length - 1] = { font, level, text: before.text + text };
    } else levelled.push({ font, level, text });
  }
  return reordered(levelled).flatMap(({ font, level, text }) => {
    const drawn = text.replaceAll(INVISIBLE, '');
    if (drawn === '') return [];
    const isTurned = level % 2 === 1 ? !ARABIC.test(drawn) : DIGITS.test(drawn);
    return [{ font, text: isTurned ? [...drawn].reverse().join('') : drawn }];
  });
}

/** Rule L2: from the highest level down, each stretch of runs at it or above is reversed. */
function reordered<R extends { readonly level: number }>(runs: readonly R[]): R[] {
  const order = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let from = 0; from < order.length; from += 1) {
      let to = from;
      while ((order[to]?.level ?? 0) >= level) to += 1;
      if (to > from) order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to;
    }
  }
  return order;
}

/** The words of a text, each with the brackets and marks that belong to it, and the blanks between. */
function unbroken(paragraph: string): string[] {
  const parts: string[] = [];
  for (const { segment } of words.segment(paragraph)) {
    const before = parts.at(-1) ?? '';
    if (OPENING.test(before) || (before.trim() !== '' && CLOSING.test(segment))) parts.push(`${parts.pop()}${segment}`);
    else parts.push(segment);
  }
  return parts;
}

function wrapped(paragraph: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const segment of unbroken(paragraph)) {
    if (fits((line + segment).trimEnd())) {
      line += segment;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = '';
    for (const { segment: sign } of graphemes.segment(segment.trimStart())) {
      if (line !== '' && !fits(line + sign)) {
        lines.push(line);
        line = '';
      }
      line += sign;
    }
  }
  return [...lines, line.trimEnd()];
}

/** The first font with all visible signs of a grapheme. */
function fontOf(segment: string, fonts: readonly Glyphs[]): Glyphs | undefined {
  const visible = [...segment.replaceAll(INVISIBLE, '')];
  return fonts.find((font) => visible.every((sign) => font.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0)));
}
