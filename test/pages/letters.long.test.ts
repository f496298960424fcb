import { freePort } from '../../scripts/lib/free-port.ts';
import { PostOffice } from '../../stage/post-office.ts';
import { until } from '../../stage/until.ts';
import { LetterShop } from '../letters/support/shop.ts';
import { describeInChromium, PHONE_390 } from '../support/browser.ts';
import { confirm, showPage, visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, PageStage } from './support/page-stage.ts';
import { enterToken } from './support/staff-console.ts';

const shop = await LetterShop.open();
const office = await PostOffice.open();
const port = String(await freePort());
const stage = new PageStage({ PORT: port, PUBLIC_URL: `http://localhost:${port}`, ...office.env });
const { chromium } = stage;
afterAll(() => office.close());

/** Every letter about one subscription, whose names are as long and as wide as they may be, in this language. */
async function lettersIn(language: string): Promise<string[]> {
  const { merchant } = shop;
  const { records } = merchant.http.store;
  const name = `${'قهوة👩‍🚀'.repeat(10)}${'W'.repeat(120)}`;
  await records.change('merchants', merchant.id, {}, { set: { name, 'branding.accentColor': '#ffee88' } });
  const email = `${language}-reader@example.org`;
  const id = await merchant.subscribeAndPay({ email }, {}, undefined, { name });
  const [customer] = await records.find('customers', { where: { email }, limit: 1 });
  await records.change('customers', customer?._id ?? '', {}, { set: { language } });
  const received = [...(await shop.send())];
  merchant.later(24 * 86_400_000);
  await merchant.send(id, { type: 'risk.due' });
  received.push(...(await shop.send()));
  await merchant.failCharge(id, 'insufficient_allowance');
  received.push(...(await shop.send()));
  await merchant.post(`/subscriptions/${id}/cancel`);
  received.push(...(await shop.send()));
  return received.map(({ mail }) => mail.html || '');
}

describeInChromium('the letters', () => {
  it.each([
    ['en', 'light'],
    ['ja', 'dark'],
    ['ar', 'dark'],
  ] as const)('in %s can be read in a window of 320 pixels, %s', async (language, colorScheme) => {
    const letters = await lettersIn(language);
    expect(letters).toHaveLength(4);
    const { page, expectSound } = await chromium.visit({ colorScheme, viewport: { width: 320, height: 640 } });
    for (const html of letters) {
      await page.setContent(html);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await expectSound();
    }
  });

  it('come in the language in which the payer has signed, once an admin has turned them on', async () => {
    const sale = await stage.sale([MONTHLY], { collectFields: { email: true } });
    const admin = await visitDashboard(stage, sale.merchant, 'admin', PHONE_390);
    await showPage(admin.page, 'test/settings');
    await admin.page.getByLabel('Send letters').selectOption('to test customers only');
    await admin.page.getByLabel('Weekly summary goes to').fill('owner@example.com');
    await admin.page.getByRole('button', { name: 'Save the letters' }).click();
    await admin.page.getByText('The letters are saved.').waitFor();
    await admin.page.getByRole('heading', { name: 'Weekly summaries' }).waitFor();
    await admin.expectSound();

    const { page } = await stage.payer({ at: `${sale.url}?lang=de` });
    await page.getByLabel('E-Mail').fill('ada@example.com');
    await page.getByRole('button', { name: 'Pocket verbinden' }).click();
    await page.getByRole('button', { name: 'Zustimmen und freigeben' }).click();
    await page.getByText('Ihr Abonnement ist aktiv').waitFor();
    const [receipt] = await until(
      'the receipt has come',
      async () => office.received,
      ({ length }) => length > 0,
    );
    expect([receipt?.to, receipt?.mail.subject]).toEqual([
      'ada@example.com',
      expect.stringMatching(/^\[Testmodus\] Beleg von .*: 10,00 USDC$/),
    ]);
    const [, path = ''] = /http:\/\/localhost:\d+(\/receipts\/\S+)/.exec(receipt?.mail.text ?? '') ?? [];
    await page.goto(`${stage.url}${path}`);
    await page.getByRole('heading', { name: 'Beleg' }).waitFor();

    const { customers } = await sale.merchant.api.customers.list({});
    await showPage(admin.page, `test/customers/${customers[0]?.id}`);
    const letters = admin.page.getByTestId('letters');
    await letters.getByText('Sent', { exact: true }).waitFor();
    await letters.getByRole('button', { name: 'Send this customer no letters' }).click();
    await letters.getByText('letters to this customer are turned off').waitFor();
    await admin.expectSound();

    const staff = await chromium.visit({ at: `${stage.url}/staff` });
    await enterToken(staff.page, stage.staff().token);
    await staff.page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    await staff.page.goto(`${stage.url}/staff#/customers/${customers[0]?.id}`);
    await staff.page.getByRole('button', { name: 'Report a bounce' }).click();
    await staff.page.getByLabel('Reason').fill('It came back.');
    await confirm(staff.page, 'Report a bounce');
    await staff.page.getByText('staff: It came back.').waitFor();
    await staff.page.getByRole('button', { name: 'Send letters again' }).waitFor();
    await staff.expectSound();
  });
});
