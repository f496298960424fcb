import { readFile } from 'node:fs/promises';
import { KEEPER, LIMITS, MONEY_STAYS, NOBODY_ELSE } from '../../web/pay/promise.ts';

/** The sentences in quotation marks of `docs/trust.md`: the list of what the checkout promises. */
async function promised(): Promise<string[]> {
  const text = await readFile(new URL('../../docs/trust.md', import.meta.url), 'utf8');
  const part = /## What the checkout promises\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  return [...part.matchAll(/“(.+?)”/gs)].map(([, sentence = '']) => sentence.replaceAll(/\s+/g, ' '));
}

it('the document on trust has every sentence of the page, and no other', async () => {
  const shown = [MONEY_STAYS, ...Object.values(KEEPER), ...Object.values(LIMITS), NOBODY_ELSE];
  expect((await promised()).toSorted()).toEqual(shown.toSorted());
});
