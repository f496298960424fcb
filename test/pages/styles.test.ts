import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';

const WEB = join(packageRoot(), 'web');
const FILES = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));

/**
 * A direction that stays where it is in a language from right to left; also four sides whose second and fourth differ.
 */
const PHYSICAL =
  /(?:margin|padding|border)-(?:left|right)|text-align: *(?:left|right)|float: *(?:left|right)|^ *(?:left|right) *:|(?:margin|padding): *\S+ +(\S+) +\S+ +(?!\1;)\S+;/gm;

describe('the styles of the pages', () => {
  it('have the directions of the text, not of the screen', () => {
    const wrong = FILES.flatMap((name) =>
      [...withoutArguments(readFileSync(join(WEB, name), 'utf8')).matchAll(PHYSICAL)].map(
        ([text]) => `${name}: ${text.trim()}`,
      ),
    );
    expect(FILES.length).toBeGreaterThan(6);
    expect(wrong).toEqual([]);
  });
});

/** `calc(-1 * var(--step-4))` is one value. */
function withoutArguments(css: string): string {
  const shorter = css.replaceAll(/\([^()]*\)/g, '');
  return shorter === css ? css : withoutArguments(shorter);
}
