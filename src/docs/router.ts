import express, { type Request, type Response, type Router } from 'express';
import { compressedFile, sendPublicFile } from '../http/send.ts';
import type { BuiltPages } from '../pages/built-pages.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShell } from '../pages/send.ts';
import { toRoot } from './doc-page.ts';
import { layout } from './layout.ts';
import { docPages, llmsText, searchIndex } from './site.ts';

/** The answers for one build of the pages. */
type Site = Awaited<ReturnType<typeof siteOf>>;

/** For people and for language models: the reference and the guides. `publicUrl` is that of the samples. */
export function docsRouter({ publicUrl }: { readonly publicUrl: string }, pages: Pages): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  let newest: Site | null = null;
  router.get(/^\/(?:docs(?:\.md|\/.*)?|llms\.txt)$/, async (request: Request, response: Response, next) => {
    const build = await pages.current();
    if (newest === null || newest.build !== build) newest = await siteOf(publicUrl, build);
    const site = newest;
    const path = request.path.slice(1);
    const page = site.pages.find((one) => one.path === path);
    const file = site.files.get(path) ?? site.build?.pictures.get(path.replace(/^docs\/guides\//, ''));
    if (page !== undefined) {
      const title = page.path === 'docs' ? 'Tideline API reference' : `${page.title}: Tideline`;
      const body = site.build === null ? '' : layout(page, site.pages);
      await sendShell(response, pages, { name: 'docs', title, toRoot: toRoot(page.path), body, publicTo: request });
    } else if (file !== undefined) sendPublicFile(request, response, file);
    else next();
  });
  return router;
}

async function siteOf(publicUrl: string, build: BuiltPages | null) {
  const pages = await docPages(publicUrl, build?.guides ?? []);
  const file = (type: string, text: string) => compressedFile(`${type}; charset=utf-8`, Buffer.from(text));
  return {
    build,
    pages,
    /** The Markdown of the pages, the index of the search, and `llms.txt`. */
    files: new Map([
      ...pages.map(({ path, text }) => [`${path}.md`, file('text/markdown', text)] as const),
      ['llms.txt', file('text/plain', llmsText(publicUrl, pages))],
      ['docs/search.json', file('application/json', JSON.stringify(searchIndex(pages)))],
    ]),
  };
}
