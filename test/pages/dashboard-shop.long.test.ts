import { z } from 'zod';
import type { MerchantClient } from '../../tools/lib/merchant.ts';
import { TOKEN_KEY } from '../../tools/lib/shop.ts';
import {
  ALL_LEVELS,
  Chromium,
  describeInChromium,
  focusOf,
  type Visit,
  type VisitOptions,
} from '../support/browser.ts';
import { Town } from './support/town.ts';

const town = new Town();
const chromium = new Chromium();

const offersSchema = z.object({
  offers: z.array(z.looseObject({ id: z.string(), checkoutUrl: z.string(), pricing: z.array(z.looseObject({})) })),
});

/** A member's browser, on the first page of the dashboard. */
async function signIn(
  merchant: MerchantClient,
  role: 'viewer' | 'member' | 'admin',
  options: VisitOptions = {},
): Promise<Visit> {
  const visit = await chromium.visit(options);
  const { page } = visit;
  await page.goto(await town.invitation(merchant, role));
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByRole('link', { name: 'Offers' }).waitFor();
  return visit;
}

async function offersOf(merchant: MerchantClient) {
  return offersSchema.parse(await merchant.call('GET', '/offers')).offers;
}

describeInChromium('the shop pages of the dashboard in Chromium', () => {
  it('makes an offer, changes its prices and its name, sells it and deletes it', async () => {
    const merchant = await town.merchant();
    const visit = await signIn(merchant, 'member');
    const { page } = visit;
    await page.getByRole('link', { name: 'Offers' }).click();
    await page.getByText('There are no offers yet. Create one').waitFor();
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('link', { name: 'Create an offer' }).click();
    await page.getByRole('heading', { name: 'Create an offer' }).waitFor();
    expect([await focusOf(page), await page.title()]).toEqual([
      'Create an offer',
      'Create an offer – Tideline dashboard',
    ]);
    await page.getByLabel('Name').fill('Tea Club');
    await page.getByLabel('Description').fill('Leaves, every two weeks.');
    await page.getByLabel('Amount').fill('0.10');
    await page.getByLabel('Every').fill('2');
    await page.getByLabel('Interval').selectOption('week');
    await page.getByLabel('Trial days').fill('7');
    await page.getByLabel('Most payments').fill('26');
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('alert').getByText('at least 1.00 USD').waitFor();
    visit.forgive(/400/);
    await page.getByLabel('Amount').fill('12.50');
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    const [offer] = await offersOf(merchant);
    expect(offer).toMatchObject({
      name: 'Tea Club',
      description: 'Leaves, every two weeks.',
      pricing: [
        {
          amount: '12.50',
          currency: 'USD',
          billing: { type: 'recurring', interval: 'week', intervalCount: 2 },
          acceptedTokens: [{ tokenKey: TOKEN_KEY }],
          trialDays: 7,
          maxCycles: 26,
        },
      ],
    });
    expect(new URL(page.url()).hash).toBe(`#/test/offers/${offer?.id}`);
    await page.getByText('A payout wallet is missing').waitFor();
    await visit.expectSound(ALL_LEVELS);
    expect(await page.locator('[data-part=checkout-link]').getAttribute('href')).toBe(offer?.checkoutUrl);
  });
});
