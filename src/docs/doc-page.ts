import { basename, dirname, join, relative } from 'node:path/posix';
import { slugOf } from './markdown.ts';

/** A page at `/docs` or below, as Markdown: the HTML, the search and `llms.txt` are made from it. */
export interface DocPage {
  /** From the root of the service, without an ending: `docs/offers`. */
  readonly path: string;
  readonly group: 'Guides' | 'Reference';
  readonly title: string;
  /** Begins with the title. Its links to other pages are relative and end in `.md`; a heading may end in ` {#id}`. */
  readonly text: string;
}

/** The headings of a page in their order, each with the text below it, without samples. The first is the title. */
export function sectionsOf({ text }: DocPage) {
  const parts = text.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,2} )/m);
  return parts.map((part) => {
    const [whole = '', title = '', id = slugOf(title)] = /^#{1,2} (.+?)(?: \{#(.+)\})?$/m.exec(part) ?? [];
    return { id, title: title.replaceAll('`', ''), text: part.slice(whole.length) };
  });
}

/** The way from one page to another, or to a heading of it. */
export function linkBetween(from: string, to: string, id: string): string {
  return from === to ? `#${id}` : `${join(relative(dirname(from), dirname(to)), basename(to))}.md#${id}`;
}

/** The relative path from a page to the root of the service: `.`, `..`, `../..`. */
export function toRoot(path: string): string {
  return relative(dirname(path), '.') || '.';
}
