import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { accentOf, CONTRAST_MIN, contrastOf, GROUNDS, type Scheme, textOn } from '../../machines/rules/accent.ts';
import { packageRoot } from '../../src/package/root.ts';

const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/** The properties of `theme.css` that are colours, in light and in dark. */
function themeColors(scheme: Scheme): ReadonlyMap<string, string> {
  const css = readFileSync(join(packageRoot(), 'web/ui/theme.css'), 'utf8');
  const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => body ?? '');
  const found = ((scheme === 'light' ? light : dark) ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6});/g);
  return new Map([...found].map(([, name = '', color = '']) => [name, color]));
}

/** The contrasts that a page needs, each with its name. */
function contrasts(color: string, scheme: Scheme) {
  const { accent, accentStrong, accentSoft, onAccent } = accentOf(color, scheme);
  const theme = themeColors(scheme);
  return [
    ...GROUNDS[scheme].grounds.map((ground) => [`link on ${ground}`, contrastOf(accent, ground)] as const),
    ['link on a selected item', contrastOf(accent, accentSoft)],
    ['text of a badge', contrastOf(accentStrong, accentSoft)],
    ['text of the button', contrastOf(onAccent, accent)],
    ['text of the button under the pointer', contrastOf(onAccent, accentStrong)],
    ['soft text on a selected item', contrastOf(theme.get('ink-soft') ?? '', accentSoft)],
  ] as const;
}

describe('the accent of a colour', () => {
  it.each([
    ['the own blue stays in light', '#0b5f7a', 'light', '#0b5f7a', '#ffffff'],
    ['the own blue of the dark theme stays there', '#62c3e2', 'dark', '#62c3e2', '#000000'],
    ['pale yellow gets darker in light', '#ffee88', 'light', '#736b3d', '#ffffff'],
    ['pale yellow stays in dark', '#ffee88', 'dark', '#ffee88', '#000000'],
    ['navy stays in light', '#000080', 'light', '#000080', '#ffffff'],
    ['navy gets paler in dark', '#000080', 'dark', '#8c8cc6', '#000000'],
    ['white', '#ffffff', 'light', '#6b6b6b', '#ffffff'],
    ['black', '#000000', 'dark', '#919191', '#000000'],
  ] as const)('%s', (_name, color, scheme, accent, onAccent) => {
    expect(accentOf(color, scheme)).toMatchObject({ accent, onAccent });
  });

  it.each(SCHEMES)('can be read on every ground of the pages, and stays if it can: %s', (scheme) => {
    const channel = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(channel, channel, channel), (channels) => {
        const color = `#${Buffer.from(channels).toString('hex')}`;
        expect(contrasts(color, scheme).filter(([, contrast]) => contrast < CONTRAST_MIN)).toEqual([]);
        const accent = accentOf(color, scheme);
        expect(accentOf(color.toUpperCase(), scheme)).toEqual(accent);
        expect(accentOf(accent.accent, scheme)).toEqual(accent);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('text on a colour', () => {
  it.each([
    ['#ffffff', '#000000'],
    ['#000000', '#ffffff'],
    ['#757575', '#ffffff'],
    ['#767676', '#000000'],
  ])('%s is %s', (color, text) => {
    expect(textOn(color)).toBe(text);
  });
});

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.478],
  ])('of %s and %s is %d', (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 3);
    expect(contrastOf(other, one)).toBeCloseTo(contrast, 3);
  });
});

describe('the grounds', () => {
  it.each(SCHEMES)('are those of the theme: %s', (scheme) => {
    const theme = themeColors(scheme);
    const names = ['paper', 'surface', 'sunken', 'good-soft', 'warn-soft', 'bad-soft'];
    expect(GROUNDS[scheme].grounds).toEqual(names.map((name) => theme.get(name)));
    expect(GROUNDS[scheme].surface).toBe(theme.get('surface'));
  });
});
