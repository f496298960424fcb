import type { Locator, Page } from 'playwright-core';
import { verifyWebhook } from 'tideline/client';
import { freePort } from '../../scripts/lib/free-port.ts';
import {
  ALL_LEVELS,
  DESKTOP_800,
  describeInChromium,
  focusOf,
  LOOKS,
  PHONE,
  type VisitOptions,
} from '../support/browser.ts';
import { pngFile } from '../support/png.ts';
import { openReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { confirm, openDashboard, shownOnce, showPage, visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, PageStage } from './support/page-stage.ts';

// Passkeys need a name.
const port = String(await freePort());
const stage = new PageStage({ PORT: port, PUBLIC_URL: `http://localhost:${port}` });
const { chromium } = stage;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const COUNT = `window.pressesOfTest = 0; addEventListener('pointerdown', () => { window.pressesOfTest += 1; }, true);`;

/** A password manager in a browser of 2024: its answers are plain objects with the prototype of the browser's own. */
const PASSWORD_MANAGER = `
  for (const name of Object.keys(PublicKeyCredential)) delete PublicKeyCredential[name];
  const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  for (const method of ['create', 'get']) {
    const ask = navigator.credentials[method].bind(navigator.credentials);
    navigator.credentials[method] = async (options) => {
      const { id, type, rawId, response } = await ask(options);
      const own = { id, type, rawId, response: Object.fromEntries(names.map((name) => [name, response[name]])) };
      return Object.create(PublicKeyCredential.prototype, Object.getOwnPropertyDescriptors(own));
    };
  }
`;

/** Of the logo, as soon as the browser can show it. */
const DECODED_WIDTH = `document.querySelector('.logo').decode().then(() => document.querySelector('.logo').naturalWidth)`;

/** How much of the table can be seen only by scrolling it sideways, CSS pixels. */
const UNSEEN_WIDTH = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-frame'))`;

async function statusOf(key: string): Promise<number> {
  return (await fetch(`${stage.url}/v1/offers`, { headers: { 'X-API-Key': key } })).status;
}

function lastOf({ received }: Receiver): Received {
  const last = received.at(-1);
  if (last === undefined) throw new Error('nothing came');
  return last;
}

/** Counts as the device of the person: it makes passkeys. Returns what makes it take or refuse the person's finger. */
async function giveDevice(page: Page): Promise<(isUserVerified: boolean) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const phone = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options: phone });
  return (isUserVerified) => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
}

/** Where an element ends in the window, CSS pixels. */
async function bottomOf(element: Locator): Promise<number> {
  await element.waitFor();
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not shown');
  return box.y + box.height;
}

/** All that the database has of a merchant in one environment, and the part of its account. */
async function storedIn(merchantId: string, mode: 'test' | 'live'): Promise<string> {
  const { records, actors } = await stage.store();
  const query = { where: { merchantId, mode }, sort: [['_id', 1]], limit: 1_000 } as const;
  const [merchant] = await records.get('merchants', [merchantId]);
  const { liveUrl, testUrl, modeSecrets } = merchant?.webhook ?? {};
  return JSON.stringify([
    await actors.find('subscription', query),
    await records.find('offers', query),
    await records.find('customers', query),
    await records.find('wallets', query),
    await records.find('apiKeys', query),
    [mode === 'live' ? liveUrl : testUrl, modeSecrets?.[mode]?.secret],
  ]);
}

type Fill = (page: Page, mode: 'test' | 'live') => Promise<void>;

const PAYOUT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A live address gets a question first. */
const saveWallet: Fill = async (page, mode) => {
  await page.getByLabel('Address of the payout wallet').fill(PAYOUT);
  await page.getByRole('button', { name: 'Save the wallet' }).click();
  if (mode === 'live') {
    await page.getByRole('dialog').getByText(PAYOUT).waitFor();
    await confirm(page, 'Yes, it is my wallet');
  }
};

/** No live chain is enabled here. */
const acceptUsdc: Fill = async (page, mode) => {
  if (mode === 'live') await page.getByText('Chains that are not enabled on this installation').click();
  await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
};

/** Each form of the dashboard that changes an environment, by its page: the first ones make what the next ones need. */
const FORMS: { readonly [path: string]: Fill } = {
  home: async (page, mode) => {
    await saveWallet(page, mode);
    await page.getByText(PAYOUT).first().waitFor();
    await page.getByLabel('Name of the product').fill('Coffee Club');
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.locator('[data-step-name=offer][data-done=true]').waitFor();
    await page.getByLabel('URL of your webhook endpoint').fill(`https://${mode}.example.com/hooks`);
    await page.getByRole('button', { name: 'Save the endpoint' }).click();
    await shownOnce(page, 'signing secret');
  },
  settings: async (page, mode) => {
    // The list pushes the form down when it appears, and a click at that moment misses.
    await page.getByText(PAYOUT).first().waitFor();
    await page.getByText('Add or replace a payout wallet').click();
    await page.getByLabel('Token', { exact: true }).selectOption({ label: 'USDC on Polygon' });
    await saveWallet(page, mode);
    await page.getByRole('cell', { name: 'USDC on Polygon', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the wallet of USDC on Polygon' }).click();
    await confirm(page, 'Remove the wallet');
  },
  developers: async (page, mode) => {
    await page.getByRole('button', { name: `Issue a ${mode} key` }).click();
    await shownOnce(page, `${mode} key`);
    await page.getByLabel('URL of your webhook endpoint').fill(`https://${mode}.example.com/other`);
    await page.getByRole('button', { name: 'Save the endpoint' }).click();
    await page.getByText(`Events go to https://${mode}.example.com/other.`).waitFor();
    await page.getByRole('button', { name: 'Show a new secret' }).click();
    await confirm(page, 'Rotate the secret');
    await shownOnce(page, 'signing secret');
  },
  'offers/new': async (page, mode) => {
    await page.getByLabel('Name').fill('Tea Club');
    await page.getByLabel('Amount').fill('12.50');
    await acceptUsdc(page, mode);
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Tea Shop');
    await confirm(page, 'Save');
    await page.getByRole('button', { name: 'Add a price' }).click();
    await page.getByLabel('Amount').fill('99');
    await acceptUsdc(page, mode);
    await confirm(page, 'Add the price');
    await page.getByText('99 USD').first().waitFor();
  },
  'customers/new': async (page, mode) => {
    await page.getByLabel('Name').fill('Mia');
    await page.getByLabel('E-mail').fill(`mia@${mode}.example.com`);
    await page.getByRole('button', { name: 'Create the customer' }).click();
    await page.getByRole('heading', { name: 'Mia' }).waitFor();
  },
  'subscriptions/new': async (page, mode) => {
    await page.getByLabel('Customer').fill(`mia@${mode}.example.com`);
    await page.getByLabel('Offer').selectOption({ label: 'Coffee Club' });
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByRole('link', { name: 'Open the subscription' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel it');
    await page.locator('[data-part=status]').getByText('Canceled').waitFor();
  },
};

describeInChromium('the first pages of the dashboard in Chromium', () => {
  it('leads from the invitation to the first settled charge in at most 12 clicks', async () => {
    const merchant = await stage.merchant();
    const [payer, payout] = [stage.chain.wallet('approved'), stage.chain.wallet('merchant')];
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin', { inject: COUNT });
    const step = (name: string) => page.locator(`[data-step-name=${name}]`);

    await step('wallet').getByRole('button', { name: 'Save the wallet' }).click();
    await page.locator('[data-step-name=wallet][data-done=true]').waitFor();
    await step('offer').getByLabel('Name of the product').fill('Coffee Club');
    await step('offer').getByRole('button', { name: 'Create the offer' }).click();
    await page.locator('[data-step-name=offer][data-done=true]').waitFor();
    await step('webhook').getByLabel('URL of your webhook endpoint').fill(receiver.url);
    await step('webhook')
      .getByLabel(/when to give and take access/)
      .check();
    await step('webhook').getByRole('button', { name: 'Save the endpoint' }).click();
    await page.locator('[data-step-name=webhook][data-done=true]').waitFor();
    const secret = await shownOnce(page, 'signing secret');
    await step('charge').getByRole('button', { name: 'Make a test charge' }).click();
    await step('charge').getByText('10.00 USDC settled on chain').waitFor();

    expect(await page.evaluate('window.pressesOfTest')).toBeLessThanOrEqual(12);
    expect(await page.evaluate('window.pressesOfTest')).toBeGreaterThanOrEqual(4);
    expect(await stage.chain.movedFrom(payer.address)).toEqual([10_000_000n]);
    expect(await stage.chain.movedTo(payout.address)).toEqual([9_900_000n]);
    await expectSound(ALL_LEVELS);
    expect(await merchant.call('GET', '/webhooks/endpoint')).toMatchObject({ url: receiver.url, extraEvents: true });
    const seen = await merchant.call('GET', '/payments?status=settled');
    const href = await step('charge').getByRole('link', { name: 'See the payment' }).getAttribute('href');
    expect(JSON.stringify(seen)).toContain(`"${href?.split('/').at(-1)}"`);
    const { rawBody, headers } = lastOf(receiver);
    expect(verifyWebhook(rawBody, headers, secret, { mode: 'test' })).toMatchObject({ isSandbox: true });
    await step('charge').getByRole('link', { name: 'See its webhook' }).click();
    await page.getByRole('heading', { name: 'payment.succeeded' }).waitFor();
    await page.getByRole('cell', { name: 'HTTP 200' }).waitFor();
    await page.goBack();

    await giveDevice(page);
    await step('passkey').getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('[data-step-name=passkey][data-done=true]').waitFor();
    // What was done in this visit stays in view; the next one has the figures alone.
    await page.reload();
    await page.getByRole('heading', { name: 'The last 30 days' }).waitFor();
    expect(await page.locator('[data-step-name]').count()).toBe(0);
    for (const { viewport } of [DESKTOP_800, PHONE]) {
      await page.setViewportSize(viewport);
      const paid = page.getByRole('link', { name: '10.00 USDC' }).first();
      expect(await bottomOf(paid)).toBeLessThan(viewport.height);
    }
    await expectSound(ALL_LEVELS);
  });

  it('shows at home what needs the owner: an endpoint that does not take its events, and the way to them', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    receiver.reply = (response) => void response.writeHead(500).end('out of order');
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    await stage.subscriber(url);
    await receiver.got(1);
    const { page, expectSound } = await visitDashboard(stage, merchant, 'member', PHONE);
    const alert = page.locator('[data-alert=endpoint]');
    await alert.getByText(/To be tried again: \d+ events?\./).waitFor();
    expect(await bottomOf(alert)).toBeLessThan(PHONE.viewport.height);
    expect(await page.locator('[data-alert]').count()).toBe(1);
    await expectSound(ALL_LEVELS);
    await alert.getByRole('link').click();
    await page.getByRole('link', { name: 'subscription.active' }).click();
    await page.getByRole('cell', { name: 'HTTP 500' }).first().waitFor();
    await page.getByText('out of order').first().waitFor();
    await showPage(page, 'live/home');
    await page.getByText('No chain is enabled in live mode').waitFor();
    await page.getByText('has not enabled: Ethereum').waitFor();
    expect(await page.locator('[data-alert]').count()).toBe(0);
  });

  it('changes with each of its forms the environment that it shows, and never the other one; the time zone is of both', async () => {
    const merchant = await stage.merchant();
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin');
    const wrong: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'GET') return;
      const shown = new URL(page.url()).hash.split('/')[1];
      const asked = /\/dashboard\/api\/(test|live)\//.exec(request.url())?.[1];
      const sent = /"mode":"(test|live)"/.exec(request.postData() ?? '')?.[1];
      for (const mode of [asked, sent])
        if (mode !== undefined && mode !== shown) wrong.push(`${shown}: ${request.method()} ${request.url()}`);
    });
    for (const mode of ['test', 'live'] as const) {
      const other = await storedIn(merchant.id, mode === 'test' ? 'live' : 'test');
      for (const [path, fill] of Object.entries(FORMS)) {
        const before = await storedIn(merchant.id, mode);
        await showPage(page, `${mode}/${path}`);
        await fill(page, mode);
        expect([path, await storedIn(merchant.id, mode)]).not.toEqual([path, before]);
        expect([path, await storedIn(merchant.id, mode === 'test' ? 'live' : 'test')]).toEqual([path, other]);
      }
    }
    expect(wrong).toEqual([]);

    await showPage(page, 'test/settings');
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo');
    await expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Save the time zone' }).click();
    await page.getByText('The time zone is saved.').waitFor();
    expect(await merchant.api.account.get()).toMatchObject({ timeZone: 'Asia/Tokyo' });
    await showPage(page, 'live/settings');
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo');

    await showPage(page, 'live/settings/activity');
    const made = page.getByRole('row').filter({ hasText: 'Created customer' }).first();
    await made.waitFor();
    expect(await made.getByRole('cell').allTextContents()).toEqual([
      ...[expect.any(String), 'Ada', 'Created customer', 'live', expect.stringMatching(/^cust_/), '127.0.0.1'],
    ]);
    await page.getByRole('row').filter({ hasText: 'Set the payout wallet of USDC on Polygon' }).first().waitFor();
    await expectSound(ALL_LEVELS);
    await page.setViewportSize(PHONE.viewport);
    expect(await page.evaluate(UNSEEN_WIDTH)).toBe(0);
    await expectSound(ALL_LEVELS);
  });

  it.each([
    ['the browser', ''],
    ['a password manager', PASSWORD_MANAGER],
  ])('makes a passkey of %s, which signs in again; an invitation signs in once', async (_maker, inject) => {
    const { page, link, expectSound } = await visitDashboard(stage, await stage.merchant(), 'admin', { inject });
    await giveDevice(page);
    await showPage(page, 'test/settings');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText(/npm run ops -- merchant invite mrc_\w+ --name "Ada"/).waitFor();
    await page.getByText('another admin of your team makes you a new link').waitFor();
    await expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey is added.').waitFor();
    await page.getByRole('button', { name: 'Sign out of this browser' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.getByRole('button', { name: /^Remove the passkey of/ }).click();
    await page.getByText('You have none.').waitFor();
    await expectSound(ALL_LEVELS);
    await page.evaluate('navigator.credentials.create = async () => ({ rawId: new ArrayBuffer(16) })');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('gave no passkey: its answer has no clientDataJSON. Try again, or sign in').waitFor();

    const second = await chromium.visit();
    await second.page.goto(link);
    await second.page.getByRole('button', { name: 'Open the dashboard' }).click();
    await second.page.getByText('was used before').waitFor();
    second.forgive(/status of 400/);
    await second.expectSound(ALL_LEVELS);
  });

  it('saves a live payout wallet only once the passkey of the admin confirms it', async () => {
    const merchant = await stage.merchant();
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin');
    const recognize = await giveDevice(page);
    await showPage(page, 'live/settings');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey is added.').waitFor();
    await page.getByText('Add or replace a payout wallet').click();
    await page.getByLabel('Address of the payout wallet').fill(PAYOUT);
    await page.getByRole('button', { name: 'Save the wallet' }).click();
    await page.getByRole('dialog').getByText('Your passkey confirms it.').waitFor();
    await recognize(false);
    await page.getByRole('button', { name: 'Yes, it is my wallet' }).click();
    await page.getByRole('dialog').getByText('The browser gave no passkey').waitFor();
    await expectSound(ALL_LEVELS);
    const wallets = async () => {
      const { records } = await stage.store();
      const found = await records.find('wallets', { where: { merchantId: merchant.id }, limit: 10 });
      return found.map(({ mode, receiverWallet, staffEntry }) => [mode, receiverWallet, staffEntry?.details]);
    };
    expect(await wallets()).toEqual([]);
    await recognize(true);
    await confirm(page, 'Yes, it is my wallet');
    await page.getByRole('row').filter({ hasText: PAYOUT }).waitFor();
    expect(await wallets()).toEqual([['live', PAYOUT, expect.objectContaining({ confirmedBy: 'passkey' })]]);
  });

  it('issues, rolls and revokes keys, and shows no action to a viewer', async () => {
    const merchant = await stage.merchant();
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin');
    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('heading', { name: 'Developers' }).waitFor();
    expect([await focusOf(page), await page.title()]).toEqual(['Developers', 'Developers – Tideline dashboard']);
    await page.getByRole('button', { name: 'Issue a test key' }).click();
    const key = await shownOnce(page, 'test key');
    expect(await statusOf(key)).toBe(200);

    await page.getByRole('button', { name: `Roll the key ${key.slice(-4)}` }).click();
    await page.getByLabel('The old key').selectOption('now');
    await expectSound(ALL_LEVELS);
    await confirm(page, 'Issue the new key');
    const rolled = await shownOnce(page, 'test key');
    expect([await statusOf(key), await statusOf(rolled)]).toEqual([401, 200]);

    await page.getByRole('button', { name: `Revoke the key ${rolled.slice(-4)}` }).click();
    await confirm(page, 'Revoke the key');
    expect([await statusOf(rolled), await statusOf(merchant.testKey)]).toEqual([401, 200]);

    await showPage(page, 'test/settings');
    await page.getByLabel('Name', { exact: true }).fill('Bob');
    await page.getByRole('button', { name: 'Make an invitation link' }).click();
    const bob = await chromium.visit();
    await openDashboard(bob.page, await shownOnce(page, 'link'));
    const own = ['Sign out', 'Search', 'Sign out of this browser', 'Add a passkey', ''];
    const expectOwnButtons = async () =>
      expect((await bob.page.getByRole('button').allTextContents()).filter((text) => !own.includes(text))).toEqual([]);
    // The steps of the home page are shown.
    await bob.page.getByRole('button', { name: 'Add a passkey' }).waitFor();
    await expectOwnButtons();
    for (const path of ['test/developers', 'live/developers', 'test/settings']) {
      await showPage(bob.page, path);
      await bob.page.locator('table').first().waitFor();
      await expectOwnButtons();
    }
    await page.getByRole('button', { name: 'Remove Bob' }).click();
    await confirm(page, 'Remove Bob');
    await bob.page.reload();
    await bob.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  });

  it('sets the endpoint, sends a test event, and delivers an event of the log again', async () => {
    const merchant = await stage.merchant();
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin');
    await showPage(page, 'test/developers');
    await page.getByLabel('URL of your webhook endpoint').fill(receiver.url);
    await page.getByRole('button', { name: 'Save the endpoint' }).click();
    await page.getByText(`Events go to ${receiver.url}.`).waitFor();
    const first = await shownOnce(page, 'signing secret');
    await page.getByRole('button', { name: 'Show a new secret' }).click();
    await confirm(page, 'Rotate the secret');
    const secret = await shownOnce(page, 'signing secret');
    expect(secret).not.toBe(first);

    receiver.reply = (response) => void response.end('thank you');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText(/^HTTP 200 after/).waitFor();
    await page.getByText('thank you').waitFor();
    const test = lastOf(receiver);
    expect(verifyWebhook(test.rawBody, test.headers, secret, { mode: 'test' })).toMatchObject({
      event: 'webhook.test',
    });
    expect(receiver.received).toHaveLength(1);
    await expectSound(ALL_LEVELS);

    const { id } = await merchant.api.customers.create({ name: 'Ada' });
    await receiver.got(2);
    await page.getByLabel('Kind of event').selectOption('customer.created');
    await page.getByRole('link', { name: 'customer.created' }).click();
    await page.getByRole('heading', { name: 'customer.created' }).waitFor();
    await page.getByText(id).first().waitFor();
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await receiver.got(3);
    const [, delivered, again] = receiver.received;
    expect(again?.envelope).toEqual(delivered?.envelope);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('cell', { name: '2', exact: true }).waitFor();
    expect(await page.getByRole('cell', { name: 'HTTP 200' }).count()).toBe(2);
    await expectSound(ALL_LEVELS);
  });

  it('gives the checkout a logo and an accent colour that can be read; a viewer only sees them', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin');
    await showPage(page, 'test/settings');
    const chooser = page.getByLabel('Logo');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    await chooser.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svg });
    await page.getByText('logo.svg is no PNG, JPEG or WebP picture.').waitFor();
    await chooser.setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: pngFile(1_025, 1) });
    await page.getByText('wide.png has 1025 by 1 pixels.').waitFor();
    await chooser.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pngFile(96, 48) });
    await page.getByLabel('Accent colour', { exact: true }).fill('pale');
    await page.getByText('Write it as #').waitFor();
    await page.getByLabel('Accent colour', { exact: true }).fill('#ffee88');
    await page.locator('[data-preview=dark] img').waitFor();
    await expectSound(ALL_LEVELS);
    await page.getByLabel('Legal name').fill('Acme GmbH');
    await page.getByLabel('Legal address').fill('Main Street 1\n10115 Berlin');
    await page.getByRole('button', { name: 'Save the branding' }).press('Enter');
    await page.getByText('The branding is saved.').waitFor();

    await page.getByLabel('Your country').fill('DE');
    await page.getByLabel('Tax in percent').fill('19');
    const taxes = page.getByLabel('Other taxes, by the country of the customer');
    await taxes.fill('FR 20\nfr 10');
    await page.getByRole('button', { name: 'Save the invoices' }).press('Enter');
    await page.getByText('FR: Must have one line.').waitFor();
    await taxes.fill('FR 20\nus 0');
    await page.getByRole('button', { name: 'Save the invoices' }).press('Enter');
    await page.getByText('Payments have invoices since').waitFor();
    await expectSound(ALL_LEVELS);

    for (const [colorScheme, accent] of [
      ['light', '#736b3d'],
      ['dark', '#ffee88'],
    ] as const) {
      const payer = await chromium.visit({ colorScheme });
      await payer.page.goto(url);
      await payer.page.getByRole('heading', { level: 1 }).waitFor();
      await payer.page.locator('.logo').waitFor();
      expect(await payer.page.evaluate(DECODED_WIDTH)).toBe(96);
      const used = `getComputedStyle(document.documentElement).getPropertyValue('--accent')`;
      expect(await payer.page.evaluate(used)).toBe(accent);
      await payer.expectSound(ALL_LEVELS);
    }

    const viewer = await visitDashboard(stage, merchant, 'viewer');
    await showPage(viewer.page, 'test/settings');
    await viewer.page.getByText('Accent colour: #ffee88').waitFor();
    expect(await viewer.page.getByText('Acme GmbH').textContent()).toBe('Acme GmbH\nMain Street 1\n10115 Berlin');
    await viewer.page.locator('[data-preview=light] img').waitFor();
    expect(await viewer.page.locator('main input').count()).toBe(0);
    await viewer.expectSound(ALL_LEVELS);

    await page.getByRole('button', { name: 'Remove the logo' }).click();
    await page.locator('[data-preview] img').first().waitFor({ state: 'detached' });
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.getByRole('button', { name: 'Save the branding' }).click();
    await saved;
    await viewer.page.goto(url);
    await viewer.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await viewer.page.locator('.logo').count()).toBe(0);
  });

  it.each<VisitOptions & { readonly text?: '200%' }>([
    ...LOOKS,
    { colorScheme: 'light', text: '200%' },
    // 200 % zoom of a window of 1280 by 860.
    { colorScheme: 'dark', viewport: { width: 640, height: 430 } },
  ])('is sound in the look %j', async ({ text = '100%', ...look }) => {
    const { merchant } = await stage.sale([MONTHLY]);
    const { page, expectSound } = await visitDashboard(stage, merchant, 'admin', look);
    await page.evaluate(`document.documentElement.style.fontSize = '${text}'`);
    await page.getByRole('button', { name: 'Make a test charge' }).waitFor();
    await expectSound(ALL_LEVELS);
    for (const path of ['test/developers', 'live/developers', 'test/settings']) {
      await showPage(page, path);
      await expectSound(ALL_LEVELS);
    }
  });
});
