import { openApiDocument } from '../api/openapi/document.ts';
import { ROUTES } from '../api/routes.ts';
import type { Guide } from '../pages/built-pages.ts';
import { clientMethods } from './client-methods.ts';
import { type DocPage, sectionsOf } from './doc-page.ts';
import { readDocument } from './document.ts';
import { guidePages } from './guides.ts';
import { referencePages } from './reference.ts';

/** All pages, in the order of the contents. */
export async function docPages(publicUrl: string, guides: readonly Guide[]): Promise<DocPage[]> {
  const roles = new Map(ROUTES.map(({ method, path, role }) => [`${method} ${path}`, role]));
  const world = { baseUrl: `${publicUrl}/v1`, methods: await clientMethods(), roles };
  return [...guidePages(guides), ...referencePages(readDocument(openApiDocument({ publicUrl })), world)];
}

/** What the search of a page reads, once: each heading with its address and the words below it. */
export function searchIndex(pages: readonly DocPage[]): readonly object[] {
  return pages.flatMap((page) =>
    sectionsOf(page).map(({ id, title, text }, index) => ({
      path: index === 0 ? page.path : `${page.path}#${id}`,
      id,
      title,
      page: page.title,
      words: wordsOf(text),
    })),
  );
}

/** Each word once, without marks and the addresses of links. */
function wordsOf(text: string): string {
  const plain = text.replaceAll(/\]\([^)]*\)/g, ' ').toLowerCase();
  return [...new Set(plain.match(/[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu) ?? [])].join(' ');
}

/** The table of contents for language models (llmstxt.org). */
export function llmsText(publicUrl: string, pages: readonly DocPage[]): string {
  const group = (name: DocPage['group']) =>
    pages
      .filter((page) => page.group === name)
      .map((page) => `- [${page.title}](${publicUrl}/${page.path}.md): ${aboutOf(page)}\n`)
      .join('');
  return `# Tideline

> Recurring and one-time billing in tokens on EVM chains and Solana: a merchant API, a hosted checkout, signed webhooks.

Each page is also HTML, at its address without \`.md\`. [openapi.json](${publicUrl}/openapi.json) is the API for programs.

## Guides

${group('Guides')}
## Reference

${group('Reference')}`;
}

/** The first sentence of a page. */
function aboutOf(page: DocPage): string {
  const [paragraph = ''] = sectionsOf(page)[0]?.text.trim().split('\n\n') ?? [];
  const text = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}
