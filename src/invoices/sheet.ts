import PDFDocument from 'pdfkit';
import type { InvoiceFont } from './fonts.ts';
import { type Direction, linesOf, type Run } from './text-lines.ts';

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };
const WIDTH = PAGE.width - 2 * PAGE.margin;
const GUTTER = 10;
const LEADING = 1.45;
/** No run has ligatures or marks by words alone: pdfkit would lay out each word by itself, and in the wrong order. */
const WHOLE = { lineBreak: false, features: [], baseline: 'alphabetic' as const };

/** The shares of a row's texts in its width, by their number. Of three texts, all but the first are at the end. */
const SHARES: readonly (readonly number[])[] = [[], [1], [0.28, 0.72], [0.58, 0.14, 0.28]];

export interface TextStyle {
  readonly size?: number;
  readonly color?: string;
}

export interface About {
  readonly title: string;
  readonly at: Date;
  /** BCP 47. */
  readonly language: string;
  readonly direction: Direction;
}

/** A page of texts from top to bottom, from the side at which the language begins. */
export class Sheet {
  readonly #doc: PDFKit.PDFDocument;
  readonly #fonts: readonly InvoiceFont[];
  readonly #direction: Direction;
  readonly #parts: Buffer[] = [];
  #y = PAGE.margin;

  constructor(fonts: readonly InvoiceFont[], { direction, ...about }: About) {
    const info = { Title: about.title, CreationDate: about.at };
    // Without a font of its own: the service has no files of the standard ones.
    this.#doc = new PDFDocument({ size: 'A4', margin: 0, info, lang: about.language, font: '' });
    this.#doc.on('data', (part: Buffer) => this.#parts.push(part));
    for (const { name, bytes } of fonts) this.#doc.registerFont(name, bytes);
    this.#fonts = fonts;
    this.#direction = direction;
  }

  nextPage(): void {
    this.#doc.addPage();
    this.#y = PAGE.margin;
  }

  gap(height: number): void {
    this.#y += height;
  }

  rule(): void {
    this.#doc.moveTo(PAGE.margin, this.#y).lineTo(PAGE.width - PAGE.margin, this.#y);
    this.#doc.lineWidth(0.5).strokeColor('#9aa4ab').stroke();
    this.#y += 8;
  }

  /** Up to three texts side by side, each wrapped in its share of the width. */
  row(texts: readonly [string, string?, string?], { size = 10, color = '#1b2327' }: TextStyle = {}): void {
    const shares = SHARES[texts.length] ?? [];
    const most = (share: number) => share * WIDTH - GUTTER;
    const laid = shares.map((share, index) =>
      linesOf(texts[index] ?? '', this.#fonts, this.#direction, (runs) => this.#widthOf(runs, size) <= most(share)),
    );
    for (let line = 0; line < Math.max(...laid.map(({ length }) => length)); line += 1) {
      if (this.#y + size * LEADING > PAGE.height - PAGE.margin) this.nextPage();
      let begin = 0;
      for (const [index, share] of shares.entries()) {
        const runs = laid[index]?.[line] ?? [];
        const width = this.#widthOf(runs, size);
        const before = begin + (shares.length === 3 && index > 0 ? share * WIDTH - width : 0);
        const left = this.#direction === 'ltr' ? before : WIDTH - before - width;
        this.#draw(runs, PAGE.margin + left, size, color);
        begin += share * WIDTH;
      }
      this.#y += size * LEADING;
    }
  }

  async bytes(): Promise<Uint8Array> {
    const ended = new Promise((resolve) => this.#doc.on('end', resolve));
    this.#doc.end();
    await ended;
    return Buffer.concat(this.#parts);
  }

  #draw(runs: readonly Run[], left: number, size: number, color: string): void {
    let x = left;
    for (const run of runs) {
      this.#doc.font(run.font).fontSize(size).fillColor(color);
      this.#doc.text(run.text, x, this.#y + size, WHOLE);
      x += this.#widthOf([run], size);
    }
  }

  #widthOf(runs: readonly Run[], size: number): number {
    return runs.reduce((sum, { font, text }) => {
      return sum + this.#doc.font(font).fontSize(size).widthOfString(text, WHOLE);
    }, 0);
  }
}
