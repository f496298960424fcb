import { Marked } from 'marked';

/** Links lead to pages in place of their Markdown: `offers.md#createOffer` → `offers#createOffer`. */
const PARSER = new Marked({
  walkTokens: (token) => {
    if (token.type === 'link' && !token['href'].includes(':')) token['href'] = token['href'].replace(/\.md(?=#|$)/, '');
  },
  renderer: {
    heading({ tokens, depth }) {
      const [, inner = '', id = slugOf(inner)] = /^(.*?)(?: \{#(.+)\})?$/.exec(this.parser.parseInline(tokens)) ?? [];
      return `<h${depth} id="${id}">${inner}</h${depth}>\n`;
    },
  },
});

/**
 * Markdown of this repository as HTML: HTML in it stays. Headings have the ids that GitHub gives them, or one that
 * stands behind them. What may be too wide can be scrolled by keyboard.
 */
export function markdown(text: string): string {
  return String(PARSER.parse(text))
    .replaceAll('<table>', '<div class="table-frame" tabindex="0"><table class="table">')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<div class="sample"><pre tabindex="0">')
    .replaceAll('</pre>', '</pre></div>');
}

/** A page of the reference: the samples of a heading, which are its last part, stand beside its text. */
export function withSamplesBeside(text: string): string {
  return text
    .split(/^(?=#{1,2} )/m)
    .map((part) => {
      const [, title = '', body = '', samples] = /^(.+)([\s\S]*?)(?=(^```[\s\S]*)|(?![\s\S]))/m.exec(part) ?? [];
      if (samples === undefined) return `<section class="prose">${markdown(part)}</section>`;
      const [, role = 'none'] = /^```sh (\w+)/.exec(samples) ?? [];
      return `<section class="operation">${markdown(title)}<div class="columns"><div class="prose">${markdown(body)}</div>
<div class="samples" data-role="${role}">${markdown(samples)}</div></div></section>`;
    })
    .join('\n');
}

/** The id of a heading, as GitHub makes it from the text. */
export function slugOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>|&\w+;|&#\d+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
