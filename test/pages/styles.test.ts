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

/** A colour of its own. */
const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|color-mix)\(/;

/** A length of its own. Parts of the window are none. */
const LENGTH = /[\d.](?:px|rem|em|ch|pt)\b/;

const SIZED = /^(?:font(?:-size)?|border(?:-\w+)*-radius|margin(?:-[a-z]+)*|padding(?:-[a-z]+)*|(?:row-|column-)?gap)$/;

describe('the styles of the pages', () => {
  it('have their colours, sizes of type, radius and spacing from the tokens of the theme', () => {
    const wrong = FILES.flatMap((name) =>
      declarationsIn(readFileSync(join(WEB, name), 'utf8'))
        .filter(([property, value]) => COLOUR.test(value) || (SIZED.test(property) && isOwnSize(property, value)))
        .map(([property, value]) => `${name}: ${property}: ${value}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have five sizes of type, one radius, and a scale of spacing', () => {
    const names = [...new Set(tokens().map(([name]) => name))];
    expect(names.filter((name) => name.startsWith('--type-'))).toHaveLength(5);
    expect(names.filter((name) => name.includes('radius'))).toEqual(['--radius']);
    const steps = tokens().filter(([name]) => name.startsWith('--step-'));
    const sizes = steps.map(([, value]) => Number.parseFloat(value));
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
  });

  it('use only tokens that exist', () => {
    const names = new Set(tokens().map(([name]) => name));
    const used = FILES.flatMap((name) =>
      [...readFileSync(join(WEB, name), 'utf8').matchAll(/var\((--[\w-]+)/g)].map(([, token = '']) => [name, token]),
    );
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter(([, token = '']) => !names.has(token))).toEqual([]);
  });

  it('have the directions of the text, not of the screen', () => {
    const wrong = FILES.flatMap((name) =>
      [...withoutArguments(readFileSync(join(WEB, name), 'utf8')).matchAll(PHYSICAL)].map(
        ([text]) => `${name}: ${text.trim()}`,
      ),
    );
    expect(FILES.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });
});

/** The custom properties of the theme, in light and in dark. */
function tokens(): (readonly [name: string, value: string])[] {
  const roots = readFileSync(join(WEB, 'ui/theme.css'), 'utf8').matchAll(ROOT);
  return [...roots].flatMap(([root]) =>
    [...root.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [name, value] as const),
  );
}

const ROOT = /:root \{[^}]*\}/g;

/** All but the tokens. */
function declarationsIn(css: string): (readonly [property: string, value: string])[] {
  const rules = css.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(ROOT, '');
  return [...rules.matchAll(/([a-z-]+):\s+([^;{}]+);/g)].map(([, property = '', value = '']) => [property, value]);
}

/** Only one radius is used, also without a length: a circle is no corner. */
function isOwnSize(property: string, value: string): boolean {
  if (property.endsWith('radius')) return value !== 'var(--radius)' && value !== '50%';
  return LENGTH.test(value) || (property === 'font-size' && value !== 'inherit' && !value.startsWith('var(--'));
}

/** `calc(-1 * var(--step-4))` is one value. */
function withoutArguments(css: string): string {
  const shorter = css.replaceAll(/\([^()]*\)/g, '');
  return shorter === css ? css : withoutArguments(shorter);
}
