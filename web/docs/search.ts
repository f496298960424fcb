/** A heading of a page, as the index of the service has it. */
export interface Heading {
  /** From the root of the service: `docs/offers#createOffer`. */
  readonly path: string;
  readonly id: string;
  readonly title: string;
  /** The title of the page. */
  readonly page: string;
  /** Of the text below it, in small letters, each once. */
  readonly words: string;
}

/** The headings that have every word of the query, the best first; of equal ones the shorter text. */
export function search(index: readonly Heading[], query: string): Heading[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  if (words.length === 0) return [];
  const rated = index.map((heading) => ({ heading, ratings: words.map((word) => ratingOf(heading, word)) }));
  return rated
    .filter(({ ratings }) => !ratings.includes(0))
    .map(({ heading, ratings }) => ({ heading, rating: ratings.reduce((sum, one) => sum + one, 0) }))
    .sort((one, other) => other.rating - one.rating || one.heading.words.length - other.heading.words.length)
    .map(({ heading }) => heading);
}

/** Most for a word of the title; 0 if the word is missing. */
function ratingOf({ id, title, page, words }: Heading, word: string): number {
  const inTitle = ` ${title} ${id}`.toLowerCase();
  if (inTitle.includes(` ${word}`)) return 12;
  if (inTitle.includes(word)) return 6;
  if (` ${page.toLowerCase()}`.includes(` ${word}`)) return 4;
  if (` ${words} `.includes(` ${word} `)) return 3;
  return words.includes(word) ? 1 : 0;
}
