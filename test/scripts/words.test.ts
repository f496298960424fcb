import { findInProse, findNames, findWideComments, findWords, wordsIn } from '../../scripts/words/find.ts';

const GLOSSARY = `
| word  | meaning |
| ----- | ------- |
| gizmo | a part  |

| not   | but    | names that stay     |
| ----- | ------ | ------------------- |
| gizmo | part   | \`gizmoAt\`, \`gizmos\` |
| thing | object |                     |

| not in prose | but   | phrases that stay        |
| ------------ | ----- | ------------------------ |
| spot         | point | on the spot, spot prices |

| not in names | but  | names that stay |
| ------------ | ---- | --------------- |
| asked        | sent | \`asked\`         |

The end.
`;

describe('the words that the glossary replaces', () => {
  it('are the rows of its table, with the names that stay', () => {
    expect(wordsIn(GLOSSARY, 'not')).toEqual([
      { word: 'gizmo', write: 'part', stay: ['gizmoAt', 'gizmos'] },
      { word: 'thing', write: 'object', stay: [] },
    ]);
    expect(wordsIn('no table', 'not')).toEqual([]);
  });

  it.each([
    ['a gizmo', ['gizmo']],
    ['Gizmos soon', ['Gizmos']],
    ['nextGizmo(allGizmos)', ['nextGizmo', 'allGizmos']],
    ['gizmo_at, gizmoFor', ['gizmo_at', 'gizmoFor']],
    ['src/gizmo.ts', ['gizmo']],
    ['gizmoed, outgizmo, a gizmology', []],
    ['{ gizmoAt, gizmos }', []],
    [' * The field `gizmoAt` of a document.', []],
    [' * No gizmos are left.', ['gizmos']],
    ['Documents have gizmos.', ['gizmos']],
  ])('are found in "%s", except the names that stay', (text, found) => {
    const words = wordsIn(GLOSSARY, 'not');
    expect(findWords(`\n${text}`, words)).toEqual(found.map((each) => ({ line: 2, found: each, write: 'part' })));
  });
});

describe('the words that prose does not use', () => {
  const words = wordsIn(GLOSSARY, 'not in prose');

  it('are the rows of their table, with the phrases that stay', () => {
    expect(words).toEqual([{ word: 'spot', write: 'point', stay: ['on the spot', 'spot prices'] }]);
  });

  it.each([
    ['a.ts', '/** Its spot. */', 1],
    ['a.ts', ' * Two spots, one Spot.', 2],
    ['a.ts', 'const spot = 1; // the spot', 1],
    ['a.ts', 'const spot = spots[0];', 0],
    ['a.ts', '// The field `spot` of a spotless page, paid on the spot.', 0],
    ['a.md', 'Another spot.', 1],
    ['a.md', '```\nspot\n```\nThe `spot` of [it](spot.md), at spot prices.', 0],
  ])('are found in %s: %s', (path, text, count) => {
    expect(findInProse(path, text, words).map(({ write }) => write)).toEqual(Array(count).fill('point'));
  });
});

describe('the words that names do not have', () => {
  it.each([
    ['const askedAt = 1;', ['askedAt']],
    ['  | { readonly kind: Asked }', ['Asked']],
    ['this.#isAsked(own) // askedOf', ['isAsked']],
    ["['askedFor', '`', askedOf]", ['askedFor', 'askedOf']],
    [`\`askedFor $\{askedBy} asked for\``, ['askedBy']],
    ['  | { asked: true, tasked, masked }', []],
    [' * What askedView shows.', []],
    ["style('asked-for')", []],
    ["throw invalid('the askedFor sum', \"it's askedFor once\");", []],
  ])('are found in "%s", except the names that stay', (text, found) => {
    const words = wordsIn(GLOSSARY, 'not in names');
    expect(findNames(`\n${text}`, words)).toEqual(found.map((each) => ({ line: 2, found: each, write: 'sent' })));
  });
});

describe('the width of comments', () => {
  const wide = 'x '.repeat(70);

  it('is checked, except where a line cannot be wrapped', () => {
    const lines = [` * ${wide}`, `// ${wide}`, `const a = 1; ${wide}`, `// https://${wide}`, ` * biome-ignore ${wide}`];
    expect(findWideComments(lines.join('\n'))).toEqual([1, 2]);
  });
});
