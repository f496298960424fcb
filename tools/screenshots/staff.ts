import { z } from 'zod';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { type MerchantClient, signUp } from '../../stage/merchant-client.ts';
import { openShop } from '../../stage/sale.ts';
import type { Scene } from './checkout.ts';
import { DESKTOP, type Photographer } from './photographer.ts';

const withId = z.object({ id: z.string() });

/** The staff console: the list of trouble, and a subscription in trouble. */
export async function staffPictures(photographer: Photographer, { service, dataDir }: Scene): Promise<void> {
  const merchant = await signUp(() => service.url, dataDir, 'Harbour Roasters');
  const pastDue = await inTrouble(merchant, await devnetFacts(service));
  const page = await photographer.visit(DESKTOP);
  await page.goto(`${service.url}/staff`);
  await page.getByLabel('Staff token').fill(staffToken({ DATA_DIR: dataDir }).token);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
  await photographer.take(page, 'staff-trouble', { isWhole: false });
  await page.goto(`${service.url}/staff#/subscriptions/${pastDue}`);
  await page.getByRole('heading', { name: 'Answers' }).waitFor();
  await photographer.take(page, 'staff-subscription', { isWhole: false });
  await page.context().close();
}

/** Makes three paid subscriptions, one of which is past due; returns that one. */
async function inTrouble(merchant: MerchantClient, facts: Awaited<ReturnType<typeof devnetFacts>>): Promise<string> {
  const { priceId, payers } = await openShop(merchant, facts, { payers: 3 });
  const ids: string[] = [];
  for (const { customerId } of payers) {
    const { id } = withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId }));
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
    ids.push(id);
  }
  const [subscriptionId = ''] = ids;
  await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'past_due' });
  return subscriptionId;
}
