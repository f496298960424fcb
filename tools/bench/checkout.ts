import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../scripts/lib/chromium.ts';
import { ScriptError } from '../../scripts/lib/script.ts';
import { Stage } from '../../stage/stage.ts';
import type { BenchRun } from './bench.ts';
import { counted, median, type Row } from './row.ts';

/** A phone far from the service, in a bad network; bytes per second. */
const NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 } as const;

const PHONE = { width: 390, height: 844 } as const;

const VISITS = { quick: 5, full: 15 } as const;

const SEEN_MS = 1_500;
const USABLE_MS = 3_000;
const REQUESTS = 8;
const KILOBYTES = 90;

const OFFER = {
  name: 'Coffee Club',
  description: 'Two bags of freshly roasted beans, at your door on the first of the month.',
  features: [{ title: 'Roasted to order' }],
  pricing: [
    {
      amount: '9.90',
      acceptedTokens: ['usdc-base'],
      billing: { type: 'recurring' as const, interval: 'month' as const },
    },
  ],
};

/**
 * First visits of a checkout in Chromium, each with an empty cache. The network is throttled by the browser, as its
 * developer tools do: each request waits for the latency, and all share the rate. `usable`: the page has taken over,
 * with the prices, the ways to pay and the bar with the sum.
 */
export async function checkoutVisits({ size, progress, signal }: BenchRun): Promise<Row[]> {
  const path = findChromium();
  if (path === null) throw new ScriptError('Chromium is missing: install it, or set CHROMIUM_PATH');
  const stage = await Stage.open({ signal });
  const browser = await launchChromium(path);
  try {
    const merchant = await stage.createMerchant('Harbour Roasters');
    const { checkoutUrl } = await merchant.api.offers.create(OFFER);
    await visit(browser, checkoutUrl);
    const visits: Visit[] = [];
    for (let number = 1; number <= VISITS[size]; number += 1) {
      signal.throwIfAborted();
      progress.step(`a checkout on a slow phone: visit ${number} of ${VISITS[size]}`);
      visits.push(await visit(browser, checkoutUrl));
    }
    const rowOf = (name: string, unit: string, of: (visit: Visit) => number, atMost: number) =>
      counted(name, unit, median(visits.map(of)), { atMost });
    const rows = [
      rowOf('name and price are seen, at 400 ms and 50 kB/s', 'ms', ({ seenMs }) => seenMs, SEEN_MS),
      rowOf('the checkout is usable, at 400 ms and 50 kB/s', 'ms', ({ usableMs }) => usableMs, USABLE_MS),
      rowOf('requests of a first visit', 'requests', ({ requests }) => requests, REQUESTS),
      rowOf('bytes of a first visit on the wire', 'kB', ({ bytes }) => bytes / 1_000, KILOBYTES),
    ];
    for (const row of rows) progress.found(row);
    return rows;
  } finally {
    await browser.close();
    await stage.stop();
  }
}

type Visit = Awaited<ReturnType<typeof visit>>;

/** Notes when the bar with the sum appears. A string, because tools are not type-checked as code of a browser. */
const WATCH = `new MutationObserver((_, watching) => {
  if (document.querySelector('[data-part=order]') === null) return;
  window.usableMs = performance.now();
  watching.disconnect();
}).observe(document, { childList: true, subtree: true });`;

async function visit(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: PHONE });
  try {
    const page = await context.newPage();
    const sizes = await throttled(page);
    await page.addInitScript(WATCH);
    await page.goto(url);
    await page.locator('[data-part=order]').waitFor();
    await page.waitForLoadState('networkidle');
    const seen = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;
    return {
      seenMs: await page.evaluate<number>(seen),
      usableMs: await page.evaluate<number>('usableMs'),
      requests: sizes.length,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    };
  } finally {
    await context.close();
  }
}

/** The bytes of each answer on the wire, with its headers. */
async function throttled(page: Page): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const sizes: number[] = [];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  return sizes;
}
