import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';
import { describeInChromium } from '../support/browser.ts';
import { galleryPage } from './support/gallery-page.ts';

const WEB = join(packageRoot(), 'web');

/** Puts a page into its shell, and shows nothing by itself but the toasts. */
const NO_COMPONENT = 'mount.tsx';

/** It is a whole page, so that the gallery can show only its wait. */
const WHOLE_PAGE = 'SessionUnknown';

interface Component {
  readonly name: string;
  /** Of its properties. */
  readonly code: string;
}

const components = readdirSync(join(WEB, 'ui'))
  .filter((file) => file.endsWith('.tsx') && file !== NO_COMPONENT)
  .flatMap(exportedBy);

function exportedBy(file: string): Component[] {
  const code = readFileSync(join(WEB, 'ui', file), 'utf8');
  const names = [...code.matchAll(/^export function ([A-Z]\w*)/gm)].map(([, name = '']) => name);
  if (names.length === 0)
    throw new Error(`web/ui/${file} exports no component; it needs none of JSX, or another place`);
  return names.filter((name) => name !== WHOLE_PAGE).map((name) => ({ name, code: propertiesOf(name, code) }));
}

/** Its interface, or its first line. */
function propertiesOf(name: string, code: string): string {
  const own = new RegExp(`interface ${name}Props[^]*?\\n}`).exec(code);
  return (own ?? new RegExp(`function ${name}\\b.*`).exec(code))?.[0] ?? '';
}

/** The contents that a component has by its properties. */
const CONTENTS = {
  long: /./,
  empty: /readonly (?:rows|values?|options):|loaded: Loaded/,
  loading: /readonly (?:busy|run|loaded)\b/,
  failed: /readonly (?:errors?|run|loaded)\b/,
} as const;

const open = await galleryPage();

/** The contents of each component, and those that are wider than their frame. */
const READ = `[...document.querySelectorAll('[data-content]')].map((specimen) => ({
  component: specimen.dataset.component,
  content: specimen.dataset.content,
  isTooWide: specimen.scrollWidth > specimen.clientWidth,
}))`;

describeInChromium('the gallery', () => {
  it('shows each component with long, empty, loading and failed contents, on a narrow phone too', async () => {
    const { page } = await open('ltr', { viewport: { width: 320, height: 640 } });
    const specimens: { component: string; content: string; isTooWide: boolean }[] = await page.evaluate(READ);
    const shown = new Set(specimens.map(({ component, content }) => `${component} ${content}`));
    const wanted = components.flatMap(({ name, code }) =>
      Object.entries(CONTENTS).flatMap(([content, property]) => (property.test(code) ? [`${name} ${content}`] : [])),
    );
    expect(wanted).toEqual(expect.arrayContaining(['Button loading', 'Table empty', 'WhenLoaded failed']));
    expect(wanted.filter((specimen) => !shown.has(specimen))).toEqual([]);
    expect(specimens.filter(({ isTooWide }) => isTooWide)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.getByRole('button', { name: 'Open a long question' }).click();
    const action = page.getByRole('button', { name: 'End it now' });
    await action.scrollIntoViewIfNeeded();
    const box = await action.boundingBox();
    expect((box?.x ?? Number.NaN) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    await action.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Long toast' }).click();
    const toast = await page.locator('.toast').last().boundingBox();
    expect((toast?.x ?? Number.NaN) + (toast?.width ?? 0)).toBeLessThanOrEqual(320);
  });
});
