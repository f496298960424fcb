import type { Guide } from '../pages/built-pages.ts';
import type { DocPage } from './doc-page.ts';

/** Where to read the documents that are not served. */
const DOCUMENTS = 'https://github.com/tideline/tideline/blob/main/docs/';

/** The pages of the guides; the quickstart is the first. */
export function guidePages(guides: readonly Guide[]): DocPage[] {
  const rank = ({ name }: Guide) => (name === 'quickstart' ? '' : name);
  return guides
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
    .map(({ name, path, title, text }) => ({
      path: `docs/guides/${name}`,
      group: 'Guides',
      title: title.replaceAll('`', ''),
      text: withLinks(text, (href) => linkFrom(path, href, guides)),
    }));
}

/** Samples stay as they are. */
function withLinks(text: string, linkTo: (href: string) => string): string {
  return text.replaceAll(
    /^```[\s\S]*?^```$|(\]\(| src=")([^)"\s]+)/gm,
    (whole: string, start?: string, href?: string) =>
      start === undefined || href === undefined ? whole : start + linkTo(href),
  );
}

/** Guides and pictures are beside the page, the other documents are in the repository. */
function linkFrom(path: string, href: string, guides: readonly Guide[]): string {
  if (href.startsWith('#')) return href;
  const target = new URL(href, `${DOCUMENTS}${path}`);
  const own = target.href.startsWith(DOCUMENTS) ? target.pathname.replace(/^.*\/(?=[^/]+$)/, '') : '';
  if (own.endsWith('.png')) return own;
  return guides.some(({ name }) => own === `${name}.md`) ? `${own}${target.hash}` : target.href;
}
