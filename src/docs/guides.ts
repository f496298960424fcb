import type { Guide } from '../pages/built-pages.ts';
import { html } from './html.ts';
import { type Entry, layout, sideGroup } from './layout.ts';
import { inlineMarkdown, markdown } from './markdown.ts';

/** Where to read the documents that are not served. */
const DOCUMENTS = 'https://github.com/tideline/tideline/blob/main/docs/';

/** The links to all guides, relative to a page; the quickstart is the first. */
export function guideEntries(guides: readonly Guide[], folder: string): Entry[] {
  const rank = ({ name }: Guide) => (name === 'quickstart' ? '' : name);
  return guides
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
    .map(({ name, title }) => ({ href: `${folder}${name}`, label: inlineMarkdown(title), words: `${title} ${name}` }));
}

/** The body of the page of a guide. */
export function guidePage({ path, text }: Guide, guides: readonly Guide[]): string {
  const home = '../../docs';
  const side = [
    sideGroup('Guides', guideEntries(guides, '')),
    sideGroup('Reference', [{ href: home, label: html`API reference`, words: 'reference' }]),
  ];
  const linkTo = (href: string) => linkFrom(path, href, guides);
  return layout({ home, side, main: html`<article class="prose">${markdown(text, linkTo)}</article>` });
}

/** Guides and pictures are beside this page, the other documents are in the repository. */
function linkFrom(path: string, href: string, guides: readonly Guide[]): string {
  if (href.startsWith('#')) return href;
  const target = new URL(href, `${DOCUMENTS}${path}`);
  const own = target.href.startsWith(DOCUMENTS) ? target.pathname.replace(/^.*\/(?=[^/]+$)/, '') : '';
  if (own.endsWith('.png')) return own;
  const guide = guides.find(({ name }) => own === `${name}.md`);
  return guide === undefined ? target.href : `${guide.name}${target.hash}`;
}
