import { escapeHtml } from '../pages/shell.ts';
import { type DocPage, sectionsOf, toRoot } from './doc-page.ts';
import { markdown, withSamplesBeside } from './markdown.ts';

/** The body of a page: bar, contents, text. The contents name all pages, and the headings of this one. */
export function layout(page: DocPage, pages: readonly DocPage[]): string {
  const root = toRoot(page.path);
  const group = (name: DocPage['group']) => {
    const rows = pages.filter((one) => one.group === name).map((one) => sideRow(one, page, root));
    return `<p class="side-title">${name}</p><ul>${rows.join('')}</ul>`;
  };
  const [look, body] =
    page.group === 'Guides' ? ['prose', markdown(page.text)] : ['reference', withSamplesBeside(page.text)];
  // Search needs a script; the language of samples is chosen by CSS.
  return `<a class="skip" href="#content">Skip to the content</a>
<header class="bar row"><a class="brand" href="${root}/docs">Tideline API</a>
<search><label class="visually-hidden" for="search">Search</label>
<input id="search" type="search" placeholder="Search" autocomplete="off"></search>
<fieldset class="row"><legend class="visually-hidden">Language of the samples</legend>
<label><input type="radio" name="language" value="curl" checked> curl</label>
<label><input type="radio" name="language" value="typescript"> TypeScript</label></fieldset></header>
<p id="status" class="visually-hidden" role="status"></p>
<div class="docs"><nav aria-label="Contents"><div id="found"></div>
<details open><summary>Contents</summary>${group('Guides')}${group('Reference')}</details></nav>
<main id="content" tabindex="-1"><article class="${look}">${body}</article>
<p class="small"><a href="${root}/${page.path}.md">This page as Markdown</a></p></main></div>`;
}

function sideRow(one: DocPage, page: DocPage, root: string): string {
  const name = escapeHtml(one.title);
  if (one !== page) return `<li><a href="${root}/${one.path}">${name}</a></li>`;
  const sections = sectionsOf(page).slice(1);
  const rows = sections.map(({ id, title, text }) => {
    const [, method] = /^\s*`([A-Z]+) \//.exec(text) ?? [];
    const badge = method === undefined ? '' : `<span class="badge method">${method}</span> `;
    return `<li><a href="#${id}">${badge}${escapeHtml(title)}</a></li>`;
  });
  return `<li><a href="#content" aria-current="page">${name}</a><ul>${rows.join('')}</ul></li>`;
}
