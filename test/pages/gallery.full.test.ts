import { ALL_LEVELS, describeInChromium, focusOf, NARROW, type VisitOptions } from '../support/browser.ts';
import { galleryPage } from './support/gallery-page.ts';

const visitSpecimens = await galleryPage();

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
