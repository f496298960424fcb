import { LetterShop } from '../letters/support/shop.ts';
import { Chromium, describeInChromium } from '../support/browser.ts';

const shop = await LetterShop.open();
const chromium = new Chromium();

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
});
