import { findWords, replacedWords } from '../../scripts/words/find.ts';

const GLOSSARY = `
| word | meaning |
| ---- | ------- |
| lane | a queue |

| not  | but     |
| ---- | ------- |
| look | reading |
| lane | queue   |

The end.
`;

describe('the words that the glossary has replaced', () => {
  it('are the rows of its table', () => {
    expect(replacedWords(GLOSSARY)).toEqual([
      { word: 'look', write: 'reading' },
      { word: 'lane', write: 'queue' },
    ]);
    expect(replacedWords('no table')).toEqual([]);
  });

  it.each([
    ['a look', ['look']],
    ['Looks soon', ['Looks']],
    ['nextLook(allowanceLooks)', ['nextLook', 'allowanceLooks']],
    ['look_at, lookAt', ['look_at', 'lookAt']],
    ['src/look.ts', ['look']],
    ['looking, outlook, a lookup', []],
  ])('are found in "%s"', (text, found) => {
    const words = [{ word: 'look', write: 'reading' }];
    expect(findWords(`\n${text}`, words)).toEqual(found.map((each) => ({ line: 2, found: each, write: 'reading' })));
  });
});
