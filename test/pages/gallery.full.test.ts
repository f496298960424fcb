import { basename, join } from 'node:path';
import { bundleGallery } from '../../scripts/build/web/bundle.ts';
import { packageRoot } from '../../src/package/root.ts';
import { shellPage } from '../../src/pages/shell.ts';
import { temporaryFolder } from '../runner/after.ts';
import {
  ALL_LEVELS,
  CHROMIUM,
  Chromium,
  describeInChromium,
  focusOf,
  NARROW,
  type VisitOptions,
} from '../support/browser.ts';

const chromium = new Chromium();
const ENTRY = { script: 'gallery.js', styles: ['gallery.css'], preloads: [] } as const;
const folder = await temporaryFolder();

beforeAll(async () => {
  if (CHROMIUM !== null) await bundleGallery(join(packageRoot(), 'web'), folder);
}, 120_000);

/** Opens the page with every component of `web/ui/` in every state. */
async function visitSpecimens(direction: 'ltr' | 'rtl', options: VisitOptions = {}) {
  const visit = await chromium.visit(options);
  const body = shellPage({ title: 'Specimens', entry: ENTRY, toRoot: '.', language: { tag: 'en', direction } });
  await visit.page.route('http://localhost/**', (route) => {
    const file = basename(new URL(route.request().url()).pathname);
    if (file === '') return route.fulfill({ contentType: 'text/html', body });
    return route.fulfill({ path: join(folder, 'assets', file) });
  });
  await visit.page.goto('http://localhost/');
  await visit.page.getByRole('heading', { name: 'Specimens' }).waitFor();
  return visit;
}

/** 200 % zoom of a window of 1280 by 860. */
const ZOOMED = { width: 640, height: 430 } as const;

describeInChromium('the components of the pages in Chromium', () => {
  it.each<readonly [direction: 'ltr' | 'rtl', text: 100 | 200, options: VisitOptions]>([
    ['ltr', 100, { colorScheme: 'light' }],
    ['ltr', 100, { colorScheme: 'dark', viewport: NARROW }],
    ['rtl', 100, { colorScheme: 'light', viewport: ZOOMED }],
    ['rtl', 100, { colorScheme: 'dark', viewport: NARROW }],
    ['ltr', 200, { colorScheme: 'light' }],
  ])('are sound in the direction %s, with text of %i %%, as %j', async (direction, text, options) => {
    const { page, expectSound } = await visitSpecimens(direction, options);
    await page.addStyleTag({ content: `html { font-size: ${text}%; }` });
    await page.getByRole('button', { name: 'Fill it' }).click();
    await page.getByRole('button', { name: 'Bad toast' }).click();
    await expectSound(ALL_LEVELS);
    const width: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(width).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await expectSound(ALL_LEVELS);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focusOf(page)).toBe('Open a dialog');
  });

  it.each([
    ['ltr', 'ArrowRight'],
    ['rtl', 'ArrowLeft'],
  ] as const)('move the tabs as the arrows point: %s', async (direction, next) => {
    const { page } = await visitSpecimens(direction);
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press(next);
    expect(await focusOf(page)).toBe('Keys');
  });
});
