import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../src/package/root.ts';
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

let command: ChildProcess;
let url: string;
beforeAll(async () => {
  if (CHROMIUM === null) return;
  command = spawn(process.execPath, ['--import', 'tsx', 'scripts/build.ts', 'web', '--gallery'], {
    cwd: packageRoot(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = await printedUrl(command);
}, 120_000);
afterAll(async () => {
  if (CHROMIUM === null) return;
  const ended = once(command, 'exit');
  command.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

/** The address that the command prints. */
async function printedUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface(stdout)) {
    const [found] = /http:\S+(?=;)/.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error('the command has ended without an address');
}

async function visitSpecimens(query: string, options: VisitOptions) {
  const visit = await chromium.visit(options);
  await visit.page.goto(`${url}/?frame=${query}`);
  await visit.page.getByRole('heading', { name: 'Specimens' }).waitFor();
  return visit;
}

/** 200 % zoom of a window of 1280 by 860. */
const ZOOMED = { width: 640, height: 430 } as const;

/** A string, because tests are not type-checked as code of a browser. */
const LOOK = `({
  direction: getComputedStyle(document.documentElement).direction,
  ground: getComputedStyle(document.body).backgroundColor,
  text: getComputedStyle(document.documentElement).fontSize,
  width: innerWidth,
})`;

describeInChromium('the gallery in Chromium', () => {
  it.each<readonly [query: string, options: VisitOptions]>([
    ['', { colorScheme: 'light' }],
    ['', { colorScheme: 'dark', viewport: NARROW }],
    ['&direction=rtl', { colorScheme: 'light', viewport: ZOOMED }],
    ['&direction=rtl&scheme=dark', { colorScheme: 'light', viewport: NARROW }],
    ['&scheme=light&text=200', { colorScheme: 'dark' }],
  ])('is sound as %j %j', async (query, options) => {
    const { page, expectSound } = await visitSpecimens(query, options);
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

  it('has switches for colours, direction, width and text', async () => {
    const { page, expectSound } = await chromium.visit({ colorScheme: 'light' });
    await page.goto(url);
    const frame = page.frameLocator('iframe');
    const look = async () => {
      await frame.getByRole('heading', { name: 'Specimens' }).waitFor();
      return frame.locator('html').evaluate(LOOK);
    };
    const light = { direction: 'ltr', ground: 'rgb(244, 246, 248)', text: '16px' };
    expect(await look()).toMatchObject(light);
    await page.getByLabel('Width').selectOption('narrow');
    expect(await look()).toEqual({ ...light, width: 375 });
    await page.getByLabel('Colours').selectOption('dark');
    await page.getByLabel('Direction').selectOption('rtl');
    await page.getByLabel('Text').selectOption('200 %');
    await frame.locator('html[dir=rtl][style*="200%"]').waitFor();
    expect(await look()).toEqual({ direction: 'rtl', ground: 'rgb(14, 21, 27)', text: '32px', width: 375 });
    await expectSound(ALL_LEVELS);
  });

  it('moves the tabs as the arrows point', async () => {
    for (const [direction, next] of [
      ['ltr', 'ArrowRight'],
      ['rtl', 'ArrowLeft'],
    ] as const) {
      const { page } = await visitSpecimens(`&direction=${direction}`, {});
      await page.getByRole('tab', { name: 'Overview' }).focus();
      await page.keyboard.press(next);
      expect(await focusOf(page)).toBe('Keys');
    }
  });
});
