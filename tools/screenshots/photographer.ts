import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

export const DESKTOP: View = { width: 1180, height: 820, scheme: 'light' };
export const PHONE: View = { width: 375, height: 760, scheme: 'dark' };

/** Takes pictures into a folder. */
export class Photographer {
  readonly taken: string[] = [];
  readonly #browser: Browser;
  readonly #folder: string;

  constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  /** A page for a first-time visitor. */
  async visit({ width, height, scheme }: View): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme });
    return context.newPage();
  }

  /** `isWhole`: include the page below the edge of the screen. */
  async take(page: Page, name: string, { isWhole = true }: { readonly isWhole?: boolean } = {}): Promise<void> {
    await page.screenshot({ path: join(this.#folder, `${name}.png`), fullPage: isWhole });
    this.taken.push(`${name}.png`);
  }
}
