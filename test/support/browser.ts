import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../scripts/lib/chromium.ts';
import { buildPages, pagesPaths } from '../../src/pages/pages.ts';
import { until } from '../../stage/until.ts';

/** The path of this machine's Chromium; null: the tests that need it are skipped. */
export const CHROMIUM = findChromium();

/** The narrowest screen that must show every page, CSS pixels. */
export const NARROW = { width: 375, height: 760 } as const;
export const WIDE = { width: 1280, height: 860 } as const;

export const PHONE = { viewport: NARROW, isMobile: true, hasTouch: true } as const;

/** The screens on which answers have to be seen. */
export const PHONE_390 = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
export const DESKTOP_800 = { viewport: { width: 1280, height: 800 } } as const;
export const DEVICES = [
  ['phone', PHONE_390],
  ['computer', DESKTOP_800],
] as const;

/** Each scheme of colours at each width. */
export const LOOKS: readonly VisitOptions[] = [WIDE, NARROW].flatMap((viewport) => [
  { colorScheme: 'light', viewport },
  { colorScheme: 'dark', viewport },
]);

/** The time for an element to appear: test machines are slow. */
const ACTION_MS = 25_000;

/** The levels of axe. */
const SERIOUS = ['serious', 'critical'] as const;
export const ALL_LEVELS = ['minor', 'moderate', ...SERIOUS] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `describe` in a real Chromium. Without it the tests are skipped, with a message. */
export function describeInChromium(name: string, tests: () => void): void {
  const found = CHROMIUM !== null;
  if (!found)
    process.stderr.write(`\nSKIPPED: ${name}: no Chromium here (apt-get install chromium, or CHROMIUM_PATH)\n\n`);
  (found ? describe : describe.skip)(name, tests);
}

/** A watched page. `expectSound` reports its errors, and each test ends with it. */
export interface Visit {
  readonly page: Page;
  /** Console errors, uncaught errors, and requests to other hosts so far, as text. */
  readonly faults: string[];
  /** Removes expected faults that match, and fails if there is none. */
  forgive(pattern: RegExp): void;
  /**
   * No fault so far, no horizontal scroll at 375 px, no violation of accessibility now of the levels of axe (default:
   * `SERIOUS`).
   */
  expectSound(levels?: readonly string[]): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Runs in every document and frame before its own scripts, for example a wallet. */
  readonly inject?: string;
  /** The page that it opens; absent: an empty one. */
  readonly at?: string;
}

/** One browser for a test file, each visit with its own profile. Everything is closed at the end of its test. */
export class Chromium {
  #browser: Promise<Browser> | null = null;
  #visits: Visit[] = [];

  constructor() {
    // Fast if the pages are already built.
    beforeAll(() => buildPages(pagesPaths().root));
    afterEach(async () => {
      const visits = this.#visits.splice(0);
      for (const { page } of visits) await page.context().close();
      expect(visits.flatMap(({ faults }) => faults)).toEqual([]);
    });
    afterAll(async () => {
      await (await this.#browser)?.close();
    });
  }

  async visit({ inject, at, ...options }: VisitOptions = {}): Promise<Visit> {
    this.#browser ??= launchChromium(CHROMIUM ?? '');
    const context = await (await this.#browser).newContext({ viewport: WIDE, ...options });
    context.setDefaultTimeout(ACTION_MS);
    if (inject !== undefined) await context.addInitScript(inject);
    const visit = this.#watched(await context.newPage());
    if (at !== undefined) await visit.page.goto(at);
    return visit;
  }

  /** Another tab of the same profile. */
  async tab(visit: Visit): Promise<Visit> {
    return this.#watched(await visit.page.context().newPage());
  }

  #watched(page: Page): Visit {
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      const { hostname, protocol, href } = new URL(request.url());
      const isOwn =
        hostname === '127.0.0.1' ||
        hostname === 'localhost' ||
        protocol === 'data:' ||
        protocol === 'blob:' ||
        protocol === 'about:';
      if (!isOwn) faults.push(`another host: ${href}`);
    });
    const visit: Visit = {
      page,
      faults,
      forgive: (pattern) => {
        const left = faults.filter((fault) => !pattern.test(fault));
        expect({ pattern, forgiven: faults.length - left.length }).not.toEqual({ pattern, forgiven: 0 });
        faults.splice(0, faults.length, ...left);
      },
      expectSound: async (levels = SERIOUS) => {
        expect(faults).toEqual([]);
        await expectToFit(page);
        await expectAccessible(page, levels);
      },
    };
    this.#visits.push(visit);
    return visit;
  }
}

/** The beginning of the focused element's text; "body": nothing has the focus. */
export function focusOf(page: Page): Promise<string> {
  return page.evaluate(
    `document.activeElement === document.body ? 'body' : document.activeElement.textContent.trim().slice(0, 40)`,
  );
}

/** Waits until the element with this text has the focus. */
export async function focusIs(page: Page, text: string | RegExp): Promise<void> {
  await until(
    `${text} has the focus`,
    () => focusOf(page),
    (on) => (typeof text === 'string' ? on === text : text.test(on)),
  );
}

/** A string, because tests are not type-checked as code of a browser. */
const WIDTHS = `({
  needed: document.documentElement.scrollWidth,
  tooWide: [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((element) => element.tagName.toLowerCase() + '.' + (element.getAttribute('class') ?? '')),
})`;

async function expectToFit(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize(NARROW);
  const { needed, tooWide }: { needed: number; tooWide: string[] } = await page.evaluate(WIDTHS);
  if (needed > NARROW.width) throw new Error(`${page.url()} is ${needed} px wide at 375 px: ${tooWide.join(', ')}`);
  if (before !== null) await page.setViewportSize(before);
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function expectAccessible(page: Page, levels: readonly string[]): Promise<void> {
  await page.evaluate(AXE);
  const violations: AxeViolation[] = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  const counted = violations.filter(({ impact }) => levels.includes(impact ?? ''));
  expect(counted.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
}
