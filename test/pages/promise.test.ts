import { readFile } from 'node:fs/promises';
import en from '../../web/messages/en.json' with { type: 'json' };

/** The texts in quotation marks of `docs/trust.md`: the list of what the checkout promises. */
async function promised(): Promise<string[]> {
  const text = await readFile(new URL('../../docs/trust.md', import.meta.url), 'utf8');
  const part = /## What the checkout promises\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  return [...part.matchAll(/“(.+?)”/gs)].map(([, sentence = '']) => sentence.replaceAll(/\s+/g, ' '));
}

/** What an approval without a limit leaves to whom is a warning. */
const PROMISES = Object.entries(en).filter(([key]) => key.startsWith('promise.') && !key.includes('.unlimited_'));

it('the document on trust has every part of what the page promises, and no other', async () => {
  const parts = await promised();
  expect(parts.length).toBeGreaterThan(5);
  expect(PROMISES.length).toBeGreaterThan(4);
  for (const [, text] of PROMISES) {
    const rest = parts.reduce((left, part) => left.replace(part, ''), text);
    expect(rest).toMatch(/^(?:[\s:,.]|\band\b)*$/);
  }
  for (const part of parts) expect(PROMISES.some(([, text]) => text.includes(part))).toBe(true);
});
