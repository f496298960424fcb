import { z } from 'zod';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { signUp } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { DESKTOP, PHONE, type Photographer, type View } from './photographer.ts';

const made = z.object({ id: z.string(), checkoutUrl: z.string() });

export const OFFER = {
  name: 'Coffee Club',
  description: 'Two bags of freshly roasted beans, at your door on the first of the month.',
  features: [
    { title: 'Single origin', description: 'another farm every month' },
    { title: 'Roasted to order' },
    { title: 'Pause whenever you like' },
  ],
  pricing: [
    {
      label: 'Monthly',
      amount: '9.90',
      acceptedTokens: ['usdc-base', 'usdt-ethereum'],
      billing: { type: 'recurring', interval: 'month' },
    },
    {
      label: 'Yearly',
      amount: '99.00',
      acceptedTokens: ['usdc-base'],
      billing: { type: 'recurring', interval: 'year' },
    },
    { label: 'One bag', amount: '7.50', acceptedTokens: ['usdc-base'], billing: { type: 'one_time' } },
  ],
};

export interface Scene {
  readonly service: ServiceProcess;
  readonly dataDir: string;
}

/** The checkout: the offer and the consent, on a desktop and on a phone, and payment by transfer. */
export async function checkoutPictures(photographer: Photographer, { service, dataDir }: Scene): Promise<void> {
  const merchant = await signUp(() => service.url, dataDir, 'Harbour Roasters');
  const facts = await devnetFacts(service);
  const receiverWallet = walletNamed(facts, 'merchant').address;
  for (const tokenKey of ['usdc-base', 'usdt-ethereum']) {
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
  }
  const { checkoutUrl } = made.parse(await merchant.call('POST', '/offers', OFFER));
  await subscribing(photographer, checkoutUrl, DESKTOP, 'payer-1', 'checkout-consent');
  await subscribing(photographer, checkoutUrl, PHONE, 'payer-2', 'checkout-phone');
  await transferring(photographer, checkoutUrl);
}

/** Stops at the consent, where no choice is left. */
async function subscribing(
  photographer: Photographer,
  url: string,
  view: View,
  payer: string,
  name: string,
): Promise<void> {
  const page = await photographer.visit(view);
  await page.goto(url);
  await page.getByLabel('Test wallet', { exact: true }).selectOption(`test-evm-${payer}`);
  await page.getByRole('button', { name: 'Use this test wallet' }).click();
  await page.getByRole('heading', { name: 'What you approve' }).waitFor();
  // The bar with the sum and the button is at the lower edge of the screen.
  await photographer.take(page, name, { isWhole: false });
  await page.context().close();
}

async function transferring(photographer: Photographer, url: string): Promise<void> {
  const page = await photographer.visit(DESKTOP);
  await page.goto(url);
  await page.getByLabel('One bag').check();
  await page.getByLabel('A transfer from any wallet').check();
  await page.getByRole('button', { name: 'Show the address' }).click();
  await page.locator('[data-part=deposit-address]').waitFor();
  await photographer.take(page, 'checkout-transfer');
  await page.context().close();
}
