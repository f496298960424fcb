import { findWords, replacedWords } from '../../scripts/words/find.ts';

const GLOSSARY = `
| word  | meaning |
| ----- | ------- |
| gizmo | a part  |

| not   | but    | names that stay     |
| ----- | ------ | ------------------- |
| gizmo | part   | \`gizmoAt\`, \`gizmos\` |
| thing | object |                     |

The end.
`;

describe('the words that the glossary replaces', () => {
  it('are the rows of its table, with the names that stay', () => {
    expect(replacedWords(GLOSSARY)).toEqual([
      { word: 'gizmo', write: 'part', names: new Set(['gizmoAt', 'gizmos']) },
      { word: 'thing', write: 'object', names: new Set() },
    ]);
    expect(replacedWords('no table')).toEqual([]);
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
    const words = replacedWords(GLOSSARY);
    expect(findWords(`\n${text}`, words)).toEqual(found.map((each) => ({ line: 2, found: each, write: 'part' })));
  });
});
