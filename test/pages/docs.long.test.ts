import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createClient } from 'tideline/client';
import { packageRoot } from '../../src/package/root.ts';
import { temporaryFolder } from '../runner/after.ts';
import { ALL_LEVELS, Chromium, describeInChromium, NARROW, WIDE } from '../support/browser.ts';
import { useHttp } from '../support/http.ts';
import { visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, MORE, type PageMerchant, PageStage } from './support/page-stage.ts';

const http = useHttp();
const chromium = new Chromium();
const stage = new PageStage();

/** Each width and each scheme once: colours do not depend on the width. */
const LOOKS = [
  { viewport: WIDE, colorScheme: 'light' },
  { viewport: NARROW, colorScheme: 'dark' },
] as const;

/** Strings, because tests are not type-checked as code of a browser. */
const OPEN_ALL = `for (const each of document.querySelectorAll('details')) each.open = true`;
const SCHEME = `getComputedStyle(document.body).backgroundColor`;
/** The distance of an element from the top of the window. */
const topOf = (id: string) => `document.getElementById('${id}').getBoundingClientRect().top`;

/** Opens a page, and waits until its scripts have done their work. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
}

const results = (page: Page) => page.locator('#found').getByRole('link');

describeInChromium('/docs', () => {
  it.each(LOOKS)('has no axe violation of any level: $viewport.width px, $colorScheme', async (look) => {
    const visit = await chromium.visit(look);
    await open(visit.page, `${http.url}/docs`);
    const links = visit.page.locator('nav li > a:not([href^="#"])');
    const addresses = await links.evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'href'))));
    expect(addresses.length).toBeGreaterThan(20);
    // The other pages have the same parts.
    const some = addresses.filter((address) => /guides|customers|errors|schemas/.test(address));
    for (const address of [`${http.url}/docs`, ...some]) {
      await open(visit.page, address);
      await visit.page.evaluate(OPEN_ALL);
      await visit.page.getByRole('radio', { name: 'TypeScript' }).check();
      await visit.expectSound(ALL_LEVELS);
    }
  });

  it('is dark where the system is dark', async () => {
    const [light, dark] = [
      await chromium.visit({ colorScheme: 'light' }),
      await chromium.visit({ colorScheme: 'dark' }),
    ];
    for (const { page } of [light, dark]) await page.goto(`${http.url}/docs`);
    expect([await light.page.evaluate(SCHEME), await dark.page.evaluate(SCHEME)]).toEqual([
      'rgb(244, 246, 248)',
      'rgb(14, 21, 27)',
    ]);
  });

  it.each([WIDE, NARROW])('finds a call by a word, and Enter goes to it: $width px', async (viewport) => {
    const { page } = await chromium.visit({ viewport });
    await open(page, `${http.url}/docs/guides/quickstart`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.pressSequentially('subscription retry');
    await results(page).first().waitFor();
    expect(await results(page).first().textContent()).toContain('Try a failed or blocked charge of a subscription');
    expect(await page.getByRole('status').first().textContent()).toMatch(/^\d+ found$/);
    expect(requests).toEqual([`${http.url}/docs/search.json`]);
    // In view, without scrolling.
    const box = await results(page).first().boundingBox();
    expect((box?.y ?? 1e9) + (box?.height ?? 0)).toBeLessThan(viewport.height);
    await field.press('Enter');
    await page.waitForURL(/\/docs\/subscriptions#retrySubscription$/);
    const top = Number(await page.evaluate(topOf('retrySubscription')));
    expect([top >= 0, top < 200]).toEqual([true, true]);
  });

  it('says that nothing is found, and where to look; an empty field shows the contents again', async () => {
    const { page } = await chromium.visit({ viewport: NARROW });
    await open(page, `${http.url}/docs/offers`);
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill('xyzzy');
    await page.getByText('Nothing found for “xyzzy”').waitFor();
    expect(await results(page).allTextContents()).toEqual(['all calls and events']);
    await field.fill('');
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).first().waitFor();
    expect(await results(page).count()).toBe(0);
  });

  it.each([
    ['createPayment', '/docs/payments'],
    ['schema-Offer', '/docs/offers'],
    ['header-Retry-After', '/docs/schemas'],
    ['subscription.past_due', '/docs/events'],
  ])('leads a link of before, #%s, to the heading on %s, below the bar', async (id, path) => {
    const { page } = await chromium.visit();
    await page.goto(`${http.url}/docs#${id}`);
    await page.waitForURL(`${http.url}${path}#${id}`);
    const top = Number(await page.evaluate(topOf(id)));
    expect([top >= 50, top < 200]).toEqual([true, true]);
  });

  it('shows the samples of the chosen language, also on the next page, and copies them', async () => {
    const { page } = await chromium.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await open(page, `${http.url}/docs/offers`);
    const samples = page.locator('.operation', { has: page.locator('#createOffer') }).locator('.sample:visible');
    expect(await samples.first().textContent()).toContain('curl -X POST');
    await page.getByRole('radio', { name: 'TypeScript' }).check();
    await open(page, `${http.url}/docs/customers`);
    await page.getByRole('radio', { name: 'TypeScript', checked: true }).waitFor();
    await open(page, `${http.url}/docs/offers`);
    expect(await samples.first().textContent()).toContain('await tideline.offers.create(');
    await samples.first().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toMatch(
      /^import \{ env \} from 'node:process';\nimport \{ createClient \} from '@tideline\/client';[\s\S]*console\.log\(answer\);\s*$/,
    );
    expect(await page.getByRole('link', { name: 'Sign in to try this in your sandbox' }).count()).toBeGreaterThan(5);
  });

  it('is complete without scripts', async () => {
    const { page } = await chromium.visit({ javaScriptEnabled: false });
    await page.goto(`${http.url}/docs`);
    await page.getByRole('link', { name: 'Create an offer' }).click();
    await page.getByText('curl -X POST').first().waitFor();
    expect(await page.getByRole('searchbox').count()).toBe(0);
  });
});

/** Calls that change what others need. Each set runs after another visit of its page. */
const LATE = [
  ['subscriptions', ['resumeSubscription', 'cancelSubscription']],
  ['subscriptions', ['deleteSubscription']],
  ['payments', ['cancelPayment']],
  ['customers', ['deleteCustomer']],
  ['offers', ['updateOffers', 'updateOffer', 'retirePricing']],
  ['offers', ['deleteOffer']],
  ['offers', ['deleteOffers']],
] as const;
const LATE_IDS: readonly string[] = LATE.flatMap(([, ids]) => ids);

const PAGES = [
  'currencies',
  'offers',
  'wallets',
  'customers',
  'subscriptions',
  'payments',
  'revenue',
  'webhooks',
  'event-log',
  'sandbox',
];

const isRead = (id: string) => /^(?:get|list)/.test(id);

interface Sample {
  readonly id: string;
  readonly curl: string;
  readonly typescript: string;
}

const SAMPLES = `[...document.querySelectorAll('.operation')].map((one) => ({
  id: one.querySelector('h2').id,
  curl: one.querySelector('.language-sh').textContent,
  typescript: one.querySelector('.language-ts').textContent,
}))`;

async function samplesOn(page: Page, names: readonly string[]): Promise<Sample[]> {
  const all: Sample[] = [];
  for (const name of names) {
    await open(page, `${stage.url}/docs/${name}`);
    all.push(...(await page.evaluate<Sample[]>(SAMPLES)));
  }
  return all;
}

/** A sandbox with a subscription of each state, payments of each state, and an endpoint. */
async function sandboxOf({ api }: PageMerchant, priceId: string): Promise<void> {
  await api.webhooks.setEndpoint({ url: 'https://shop.example/webhooks' });
  const wallets = [{ chainFamily: 'evm' as const, address: stage.chain.addressOf('approved') }];
  const { id: customerId } = await api.customers.create({ wallets });
  for (const status of ['active', 'past_due', 'past_due'] as const) {
    const { id: subscriptionId } = await api.subscriptions.create({ priceId, customerId });
    await api.sandbox.advance({ subscriptionId, status: 'active' });
    if (status !== 'active') await api.sandbox.advance({ subscriptionId, status });
  }
  const transfer = {
    paymentMethod: 'wallet_transfer',
    toWallet: stage.chain.addressOf('merchant'),
    amount: '5.00',
    tokenKey: 'usdc-base',
  } as const;
  await api.payments.create({ ...transfer, idempotencyKey: crypto.randomUUID() });
  const [paid] = (await api.payments.list({ status: 'settled' })).payments;
  await api.payments.refund(paid?.id ?? '', { amount: '1.00', idempotencyKey: crypto.randomUUID() });
}

async function answerTo({ id, curl }: Sample, key: string): Promise<string> {
  const env = { ...process.env, TIDELINE_API_KEY: key };
  const { stdout } = await promisify(execFile)('bash', ['-c', `${curl.trimEnd()} -s -w '\n%{http_code}'`], { env });
  return `${id} ${stdout}`;
}

/** Runs samples as modules of their own, one after the other. */
async function runTypeScript(samples: readonly Sample[], key: string): Promise<string> {
  const folder = await temporaryFolder();
  for (const { id, typescript } of samples) await writeFile(join(folder, `${id}.mts`), typescript);
  const all = samples.map(({ id }) => `await import('./${id}.mts'); console.log('done: ${id}');`).join('\n');
  await writeFile(join(folder, 'all.mts'), all);
  const options = { cwd: packageRoot(), env: { ...process.env, TIDELINE_API_KEY: key } };
  const args = ['--import', 'tsx', join(folder, 'all.mts')];
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

describeInChromium('/docs of a reader who has signed in', () => {
  it('has samples that work as copied, with the own ids and the own key', async () => {
    const { merchant, priceIds } = await stage.sale([MONTHLY, MORE]);
    await sandboxOf(merchant, priceIds[1] ?? '');
    const { page } = await visitDashboard(stage, merchant, 'admin');

    const first = await samplesOn(page, PAGES);
    const early = first.filter(({ id }) => !LATE_IDS.includes(id));
    const safe = early.filter(({ id }) => /^(?:get|list|create|add)/.test(id));
    const shown = await runTypeScript(safe, merchant.testKey);
    expect(safe.filter(({ id }) => !shown.includes(`done: ${id}`))).toEqual([]);

    const answers: string[] = [];
    const [reads, changes] = [early.filter(({ id }) => isRead(id)), early.filter(({ id }) => !isRead(id))];
    for (const sample of changes) answers.push(await answerTo(sample, merchant.testKey));
    answers.push(...(await Promise.all(reads.map((sample) => answerTo(sample, merchant.testKey)))));
    for (const [name, ids] of LATE) {
      if (name === 'offers') await merchant.api.offers.create({ name: 'Tea Club', pricing: [MONTHLY, MORE] });
      for (const sample of await samplesOn(page, [name])) {
        if (ids.some((id) => id === sample.id)) answers.push(await answerTo(sample, merchant.testKey));
      }
    }
    const refused = answers.filter((answer) => !/\n20[012]$/.test(answer));
    // Their texts say so: an address is replaced, and not taken away; the own subscriptions have fixed prices.
    expect(refused).toEqual([
      expect.stringMatching(/^deleteWallet [\s\S]*register a different one instead/),
      expect.stringMatching(/^changeQuantity [\s\S]*quantity is for a price per unit only/),
    ]);
    expect(answers.length).toBe(first.length);
  });

  it('tries a call in the sandbox, also an edited one, as far as the role goes, and never in live mode', async () => {
    const { merchant, offerId } = await stage.sale([MONTHLY]);
    const live = createClient({ apiKey: merchant.liveKey, baseUrl: `${stage.url}/v1` });
    const { page, forgive, expectSound } = await visitDashboard(stage, merchant, 'viewer');
    await open(page, `${stage.url}/docs/offers`);
    const at = (id: string) => page.locator('.operation', { has: page.locator(`#${id}`) });
    const read = at('getOffer');
    await read.getByText(`/v1/offers/${offerId}`).waitFor();
    await read.getByText(/In the sandbox of .*, as Ada \(viewer\)/).waitFor();
    await read.getByRole('button', { name: 'Try it' }).click();
    await read.getByRole('status').getByText(`GET /offers/${offerId}: 200`).waitFor();
    await read.getByRole('status').getByText('x-request-id: req_').waitFor();

    const create = at('createOffer');
    await create.getByRole('button', { name: 'Try it' }).click();
    await create.getByText('POST /offers: 403').waitFor();
    await create.getByText('This needs the role member, and yours is viewer').waitFor();
    forgive(/status of 403/);
    const sample = read.getByRole('textbox', { name: 'Sample with curl' });
    await sample.fill(`curl '${stage.url}/v1/offers?limit=1'`);
    await read.getByRole('button', { name: 'Try it' }).click();
    await read.getByText('GET /offers?limit=1: 200').waitFor();
    await sample.fill(`curl '${stage.url}/v1/../live/offers'`);
    await read.getByRole('button', { name: 'Try it' }).click();
    await read.getByText('Not sent: the sample has to call an address below /v1').waitFor();
    expect(await at('createOffer').getByRole('button', { name: 'Try it' }).count()).toBe(1);
    await expectSound();
    await open(page, `${stage.url}/docs/wallets`);
    expect(await at('registerWallet').getByRole('button', { name: 'Try it' }).count()).toBe(0);
    expect((await live.offers.list()).offers).toEqual([]);
  });

  it('makes the call with an own id in the browser, as a member', async () => {
    const { merchant, offerId } = await stage.sale([MONTHLY]);
    const { page } = await visitDashboard(stage, merchant, 'member');
    await open(page, `${stage.url}/docs/offers`);
    const update = page.locator('.operation', { has: page.locator('#updateOffer') });
    await update.getByRole('button', { name: 'Try it' }).click();
    await update.getByText(`PATCH /offers/${offerId}: 200`).waitFor();
    expect(await merchant.call('GET', `/offers/${offerId}`)).toMatchObject({ active: false });
  });
});
