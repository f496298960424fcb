import { packageRoot } from '../../src/package/root.ts';
import { readMutants } from '../../tools/mutants/mutant.ts';
import { namesIn, read } from '../support/repository.ts';

const OWN = 'test/scripts/citations.test.ts';

const SOURCES = [
  'machines',
  'packages',
  'src',
  'devnet',
  'scripts',
  'tools',
  'stage',
  'test',
  'web',
  'examples',
  'deploy',
]
  .flatMap(namesIn)
  .filter((file) => /\.(?:tsx?|css|patch)$/.test(file) && file !== OWN);

interface Citation {
  readonly from: string;
  readonly page: string;
  /** Headings, or the number of a rule: `rule 5`. */
  readonly places: readonly string[];
}

/** `docs/rules.md, "Offers", "Wallets"`, `docs/rules.md, rule 5`; a comment continues on the next line. */
function citationsIn(from: string, text: string): Citation[] {
  const flowing = text.replaceAll(/\s*\n\s*(?:\*|\/\/)\s+/g, ' ');
  return [...flowing.matchAll(/(docs\/[\w/-]+\.md)`?, (rule \d+|"[^"\n]+"(?:, "[^"\n]+")*)/g)].map(
    ([, page = '', places = '']) => ({ from, page, places: places.split(/, (?=")/).map((place) => unquoted(place)) }),
  );
}

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

/** What can be cited of a page: its headings, and in docs/rules.md the numbers of its rules. */
function placesIn(page: string): ReadonlySet<string> {
  const text = read(page);
  const headings = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''));
  const rules = [...text.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => `rule ${number}`);
  return new Set([...headings, ...rules]);
}

const PAGES = ['README.md', 'CONTRIBUTING.md', ...namesIn('docs').filter((name) => name.endsWith('.md'))];
const PLACES = new Map(PAGES.map((page) => [page, placesIn(page)]));

function unfound({ from, page, places }: Citation): string[] {
  return places.filter((place) => PLACES.get(page)?.has(place) !== true).map((place) => `${from}: ${page}, ${place}`);
}

describe('the citations of comments and pages', () => {
  const citations = [...SOURCES, ...PAGES].flatMap((file) => citationsIn(file, read(file)));

  it('exist', () => {
    expect(citations.length).toBeGreaterThan(150);
    expect(citations.flatMap(unfound)).toEqual([]);
  });

  it('name a page of the repository', () => {
    const named = SOURCES.flatMap((file) =>
      [...read(file).matchAll(/(?<!\/)\bdocs\/[\w/-]+\.md/g)].map(([page]) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ page }) => !PLACES.has(page))).toEqual([]);
  });

  it('are read across lines, and missed if they do not exist', () => {
    const text = ' * (docs/rules.md, "Money",\n * "No such"; docs/rules.md, rule 99; docs/rules.md, rule 5).';
    const found = citationsIn('a.ts', text).flatMap(unfound);
    expect(found).toEqual(['a.ts: docs/rules.md, No such', 'a.ts: docs/rules.md, rule 99']);
  });

  it('can name ten rules', () => {
    const rules = [...(PLACES.get('docs/rules.md') ?? [])].filter((place) => /^rule \d+$/.test(place));
    expect(rules).toEqual(Array.from({ length: 10 }, (_, index) => `rule ${index + 1}`));
  });

  it('name the page', () => {
    const nameless = /\((?:decisions|architecture)[:,]|[^/\w](?:decisions|architecture), (?:"|rule \d)/;
    expect(SOURCES.filter((file) => nameless.test(read(file)))).toEqual([]);
  });
});

const mutants = await readMutants(packageRoot());

describe('the failure catalogue', () => {
  /** `1.2 Runaway loop`, with the number of its group. */
  const rows = new Set(
    read('docs/rules.md')
      .split(/^### (?=\d\.\d )/m)
      .slice(1)
      .flatMap((group) => [...group.matchAll(/^- (.+)$/gm)].map(([, row]) => `${group.slice(0, 3)} ${row}`)),
  );
  const stood = new Map(mutants.map(({ name, standsFor }) => [name, standsFor.split('; ')]));

  it('has every row that a deliberate bug names', () => {
    const cited = [...stood].flatMap(([name, parts]) => parts.map((part) => ({ name, part })));
    const strange = cited.filter(({ part }) => !rows.has(part) && !/^(?:docs\/[\w/-]+\.md|reference), /.test(part));
    expect(strange).toEqual([]);
  });

  it('has a deliberate bug for every row', () => {
    const parts = new Set([...stood.values()].flat());
    expect([...rows].filter((row) => !parts.has(row))).toEqual([]);
  });
});
