import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { Chromium, describeInChromium } from '../support/browser.ts';
import { visitWithWallet } from './support/page-wallet.ts';
import { MONTHLY, ONCE, Town } from './support/town.ts';

const town = new Town();
const chromium = new Chromium();

const subscriptionsSchema = z.array(z.looseObject({ id: z.string(), status: z.string() }));

describeInChromium('the checkout in Chromium', () => {
  it('goes from an offer to an active subscription and a real transfer', async () => {
    const { url, merchant } = await town.sale([MONTHLY], {
      imageUrl: `${town.service.url}/docs/favicon.png`,
      features: [{ title: 'Fresh beans', description: 'roasted to order' }],
      collectFields: { email: true, cupSize: { label: 'Size of your cup', required: false } },
      afterCompletion: { message: 'Welcome to the club.' },
    });
    const wallet = await town.newPayer(500_000_000n);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(url);
    await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
    expect(await page.getByText('Fresh beans').isVisible()).toBe(true);
    await visit.expectSound();

    await page.getByRole('button', { name: 'Connect Pocket' }).click();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.locator('[data-part=total]').textContent()).toBe('120.00 USDC');
    await visit.expectSound();
    await page.getByRole('button', { name: 'Agree and approve' }).click();
    expect(await page.getByText('Email is needed.').isVisible()).toBe(true);
    expect(owner.asked).not.toContain('personal_sign');

    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Agree and approve' }).click();
    await page.getByText('Your subscription is active').waitFor();
    expect(await page.getByText('Welcome to the club.').isVisible()).toBe(true);
    await visit.expectSound();

    const subscriptions = subscriptionsSchema.parse((await merchant.call('GET', '/subscriptions'))['subscriptions']);
    expect(subscriptions).toMatchObject([{ status: 'active', payerWallet: wallet.address }]);
    expect((await town.movedFrom(wallet.address)).reduce((sum, each) => sum + each, 0n)).toBe(10_000_000n);
    const { customers } = await merchant.call('GET', `/customers?walletAddress=${wallet.address}`);
    expect(customers).toMatchObject([{ email: 'ada@example.com' }]);
    expect(owner.texts).toHaveLength(1);
  });
});
