import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fontkit from 'fontkit';
import { packageRoot } from '../package/root.ts';
import type { Glyphs } from './text-lines.ts';

export interface InvoiceFont extends Glyphs {
  readonly bytes: Buffer;
}

/** In the order in which they are tried for each sign. All under the SIL Open Font License. */
const FILES = {
  latin: '@embedpdf/fonts-latin/fonts/NotoSans-Regular.ttf',
  arabic: '@embedpdf/fonts-arabic/fonts/NotoNaskhArabic-Regular.ttf',
  japanese: '@embedpdf/fonts-jp/fonts/NotoSansJP-Regular.otf',
} as const;

let loading: Promise<readonly InvoiceFont[]> | null = null;

/** The fonts of invoices, read once. */
export function invoiceFonts(): Promise<readonly InvoiceFont[]> {
  loading ??= Promise.all(
    Object.entries(FILES).map(async ([name, file]) => {
      const bytes = await readFile(join(packageRoot(), 'node_modules', file));
      const font = fontkit.create(bytes);
      if (!('hasGlyphForCodePoint' in font)) throw new Error(`${file} is a collection, and no font`);
      return { name, bytes, hasGlyphForCodePoint: (codePoint: number) => font.hasGlyphForCodePoint(codePoint) };
    }),
  );
  return loading;
}
