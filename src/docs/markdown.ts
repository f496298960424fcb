import { Marked } from 'marked';
import { Html } from './html.ts';

/**
 * Markdown of this repository as HTML: HTML in it stays. Headings have the ids that GitHub gives them. What may be too
 * wide can be scrolled by keyboard. `linkTo` gives the address for a link or picture as it is written.
 */
export function markdown(text: string, linkTo?: (href: string) => string): Html {
  const parser = linkTo === undefined ? PLAIN : linkingParser(linkTo);
  return new Html(finished(String(parser.parse(text))));
}

/** One line without a paragraph around it. */
export function inlineMarkdown(text: string): Html {
  return new Html(String(PLAIN.parseInline(text)));
}

const PLAIN = new Marked();

function linkingParser(linkTo: (href: string) => string): Marked {
  return new Marked({
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') token.href = linkTo(token.href);
      if (token.type === 'html') token.text = withSources(token.text, linkTo);
    },
  });
}

function withSources(given: string, linkTo: (href: string) => string): string {
  return given.replaceAll(/ src="([^"]+)"/g, (_match, src: string) => ` src="${linkTo(src)}"`);
}

function finished(rendered: string): string {
  return rendered
    .replaceAll(/<h([1-6])>(.*?)<\/h\1>/gs, (_match, level: string, inner: string) => {
      return `<h${level} id="${slugOf(inner)}">${inner}</h${level}>`;
    })
    .replaceAll('<table>', '<div class="table-frame" tabindex="0"><table class="table">')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<div class="sample"><pre tabindex="0">')
    .replaceAll('</pre>', '</pre></div>');
}

/** The id of a heading, as GitHub makes it from the text. */
export function slugOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>|&\w+;|&#\d+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
