import { type Glyphs, legible, linesOf, runsOf } from '../../src/invoices/text-lines.ts';

const has = (name: string, signs: RegExp): Glyphs => ({
  name,
  hasGlyphForCodePoint: (codePoint) => signs.test(String.fromCodePoint(codePoint)),
});
const FONTS = [
  has('latin', /[\u0020-\u024f\u2212]/),
  has('arabic', /[\u0020\u060c\u0621-\u064a\u0660-\u0669]/),
  has('japanese', /[\u3040-\u9fff]/),
];

const textsOf = (line: string, direction: 'ltr' | 'rtl') =>
  runsOf(line, FONTS, direction).map(({ font, text }) => `${font}:${text}`);

describe('a line of an invoice', () => {
  it('is in runs of one font and one direction, from left to right', () => {
    expect(textsOf('Abo 東京 Pro', 'ltr')).toEqual(['latin:Abo ', 'japanese:東京 ', 'latin:Pro']);
    expect(textsOf('Acme شركة المثال GmbH', 'ltr')).toEqual([
      'latin:Acme ',
      'arabic:شركة المثال',
      'arabic: ',
      'latin:GmbH',
    ]);
    expect(textsOf('شركة Acme', 'rtl')).toEqual(['latin:Acme', 'arabic:شركة ']);
  });

  it('has numbers from left to right among Arabic words, and brackets that open to the reader', () => {
    expect(textsOf('شارع 12', 'rtl')).toEqual(['latin:12', 'arabic:شارع ']);
    // The font would turn them round.
    expect(textsOf('شارع ١٢', 'rtl')).toEqual(['arabic:٢١', 'arabic:شارع ']);
    expect(textsOf('(أ)', 'rtl').join('')).toMatch(/\(.*أ.*\)|\).*أ.*\(/);
  });

  it('turns marks round that no Arabic letter is beside', () => {
    expect(textsOf('وضع: لا', 'rtl')).toEqual(['arabic:لا', 'latin: :', 'arabic:وضع']);
  });

  it('isolates values as the texts ask, and draws no sign for that', () => {
    expect(textsOf('\u2068-5 USDC\u2069 منها', 'rtl').join('')).toContain('latin:-5 USDC');
  });

  it('names what no font has by its number, and loses nothing', () => {
    expect(legible('A\u{1F600}\u{1F468}\u200d\u{1F469}한', FONTS)).toBe('A[U+1F600][U+1F468 U+200D U+1F469][U+D55C]');
    expect(legible('a\nb\tc', FONTS)).toBe('a\nb c');
  });

  it('breaks at words, and divides a word that is too long', () => {
    const fits = (most: number) => (runs: readonly { readonly text: string }[]) =>
      runs.reduce((sum, { text }) => sum + text.length, 0) <= most;
    const broken = (text: string, most: number) =>
      linesOf(text, FONTS, 'ltr', fits(most)).map((runs) => runs.map((run) => run.text).join(''));
    expect(broken('one two three', 8)).toEqual(['one two', 'three']);
    expect(broken('x'.repeat(200), 60).map(({ length }) => length)).toEqual([60, 60, 60, 20]);
    expect(broken('東京都千代田区', 3).join('')).toBe('東京都千代田区');
    expect(broken('a\n\nb', 9)).toEqual(['a', '', 'b']);
    expect(broken('one (two), x', 7)).toEqual(['one', '(two),', 'x']);
  });
});
