import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';

export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** Touched, and without extensions. Absent: a computer. */
  readonly isPhone?: boolean;
}

export const DESKTOP: View = { width: 1180, height: 820, scheme: 'light' };
export const PHONE: View = { width: 390, height: 844, scheme: 'dark', isPhone: true };

export interface Framing {
  /** True: with the page below the edge of the screen. */
  readonly isWhole?: boolean;
  /** This part of the page alone. */
  readonly part?: Locator;
}

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
  async visit({ width, height, scheme, isPhone = false }: View): Promise<Page> {
    const touch = { isMobile: isPhone, hasTouch: isPhone };
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme, ...touch });
    return context.newPage();
  }

  async take(page: Page, name: string, { isWhole = false, part }: Framing = {}): Promise<void> {
    const path = join(this.#folder, `${name}.png`);
    await (part === undefined ? page.screenshot({ path, fullPage: isWhole }) : part.screenshot({ path }));
    this.taken.push(`${name}.png`);
  }
}
