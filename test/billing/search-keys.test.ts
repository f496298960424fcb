import { searchKey } from '../../src/billing/resources/search-keys.ts';

describe('the key of a text', () => {
  it.each([
    ['Mia', 'mia'],
    ['  MIA\t', 'mia'],
    ['ﬁnca Ａ', 'finca a'],
    ['e\u0301', 'é'],
    ['   ', null],
    [null, null],
  ])('of %j is %j', (text, key) => {
    expect(searchKey(text)).toBe(key);
  });

  it('is never cut within a character', () => {
    expect(searchKey('𝒳'.repeat(200))).toBe('x'.repeat(100));
    expect(searchKey('😀'.repeat(200))).toBe('😀'.repeat(100));
  });
});
