import { type Html, html } from './html.ts';

/** A link of the sidebar. */
export interface Entry {
  readonly href: string;
  readonly label: Html;
  /** What a search finds it by. */
  readonly words: string;
}

export function sideGroup(title: string, entries: readonly Entry[]): Html {
  const rows = entries.map(
    ({ href, label, words }) => html`<li data-words="${words.toLowerCase()}"><a href="${href}">${label}</a></li>`,
  );
  return html`<div class="side-group"><p class="side-title">${title}</p><ul>${rows}</ul></div>`;
}

export interface Layout {
  /** The relative path from the page to the reference. */
  readonly home: string;
  /** In the bar. */
  readonly tools?: Html;
  readonly side: readonly Html[];
  readonly main: Html;
}

/** The body of a page: bar, contents, text. */
export function layout({ home, tools = html``, side, main }: Layout): string {
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="${home}">Tideline API</a>${tools}</header>
<p id="status" class="visually-hidden" role="status"></p>
<div class="docs"><nav aria-label="Contents"><details open><summary>Contents</summary>${side}</details></nav>
<main id="content" tabindex="-1">${main}</main></div>`.text;
}

/** Search needs a script; the language of samples is chosen by CSS. */
export const TOOLS = html`<search><label class="visually-hidden" for="search">Search</label>
<input id="search" type="search" placeholder="Search" autocomplete="off"></search>
<fieldset class="languages"><legend class="visually-hidden">Language of the samples</legend>
<label><input type="radio" name="language" value="curl" checked> curl</label>
<label><input type="radio" name="language" value="typescript"> TypeScript</label></fieldset>`;
