import { z } from 'zod';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { inviteMember } from '../../scripts/lib/staff.ts';
import { signUp } from '../../stage/merchant-client.ts';
import { openShop } from '../../stage/sale.ts';
import type { Scene } from './checkout.ts';
import { DESKTOP, PHONE, type Photographer } from './photographer.ts';

const withId = z.object({ id: z.string() });

/** The dashboard: the first day, an offer, and the revenue of a shop with three subscribers. */
export async function dashboardPictures(photographer: Photographer, { service, dataDir }: Scene): Promise<void> {
  const merchant = await signUp(() => service.url, dataDir, 'Harbour Roasters');
  const staff = { url: service.url, token: staffToken({ DATA_DIR: dataDir }).token };
  const { url } = await inviteMember(staff, merchant.id, { name: 'Ada', role: 'admin' }, 'for the pictures');
  const page = await photographer.visit(DESKTOP);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByText('To do').first().waitFor();
  await photographer.take(page, 'dashboard-home', { isWhole: false });

  const { priceId, payers } = await openShop(merchant, await devnetFacts(service), { payers: 3 });
  for (const { customerId } of payers) {
    const { id } = withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId }));
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
  }
  await page.goto(`${service.url}/dashboard#/test/revenue`);
  await page.getByRole('columnheader', { name: 'Recovered' }).waitFor();
  await photographer.take(page, 'dashboard-revenue', { isWhole: false });
  await page.setViewportSize(PHONE);
  await page.goto(`${service.url}/dashboard#/test/subscriptions`);
  await page.getByRole('table').waitFor();
  await photographer.take(page, 'dashboard-phone', { isWhole: false });
  await page.context().close();
}
