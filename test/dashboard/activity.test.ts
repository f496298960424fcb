import { buildCatalog } from '../../src/chains/catalog.ts';
import { activityText } from '../../src/dashboard/activity-text.ts';
import { staff } from '../staff/support/staff.ts';
import { BOB, offerBody } from '../support/bodies.ts';
import { idOf, useHttp } from '../support/http.ts';
import { signedIn } from './support.ts';

const http = useHttp();

const CATALOG = buildCatalog();

describe('the activity of a merchant', () => {
  it('says who has changed what, and from where, in both environments', async () => {
    const shop = await http.merchant();
    const later = <T>(act: () => Promise<T>): Promise<T> => {
      http.later(1_000);
      return act();
    };
    const admin = await later(() => signedIn(http, shop, 'admin', 'Ada'));
    const member = await later(() => signedIn(http, shop, 'member', 'Mia'));
    const offerId = idOf(await later(() => member.call('POST', '/test/offers', offerBody())));
    await member.call('GET', '/test/offers');
    expect((await member.call('PATCH', `/live/offers/${offerId}`, { name: 'No' })).status).toBe(404);
    await later(() => member.call('PATCH', `/test/offers/${offerId}`, { name: 'Club' }));
    const wallet = { mode: 'live', tokenKey: 'usdc-base', receiverWallet: BOB };
    expect((await later(() => admin.call('POST', '/wallets', wallet))).status).toBe(201);
    expect((await later(() => admin.call('POST', '/webhooks/first-secret', { mode: 'live' }))).status).toBe(200);
    const asStaff = (act: string, reason: string) =>
      later(() => staff(http, 'POST', `/merchants/${shop.merchant._id}/${act}`, { reason }));
    await asStaff('suspend', 'looks like fraud');
    await asStaff('reinstate', 'was none');

    const { body } = await admin.call('GET', '/activity');
    const from = '127.0.0.1';
    const offer = { mode: 'test', resourceId: offerId, page: 'offers', from };
    expect(body).toMatchObject({
      activity: [
        { by: null, text: 'Reinstated the account', mode: null, from: null },
        { by: null, text: 'Suspended the account' },
        { by: 'Ada', text: 'Made webhook secret', mode: 'live', from, resourceId: null, page: null },
        {
          by: 'Ada',
          text: `Set the payout wallet of USDC on Base to ${BOB}, confirmed with a fresh sign-in`,
          mode: 'live',
          from,
        },
        { by: 'Mia', text: 'Updated offer', ...offer },
        { by: 'Mia', text: 'Created offer', ...offer },
        { by: null, text: 'Made a link for Mia' },
        { by: null, text: 'Made a link for Ada' },
      ],
      hasMore: false,
    });
    expect(JSON.stringify(body)).not.toContain('fraud');
    const page = await admin.call('GET', '/activity?limit=1&start=4');
    expect(page.body).toMatchObject({ activity: [{ text: 'Updated offer' }], hasMore: true });
  });

  it.each([
    ['cancelSubscription', 'Canceled subscription'],
    ['updateOffers', 'Updated offers'],
    ['setWebhookEndpoint', 'Set webhook endpoint'],
    ['retryPayment', 'Retried payment'],
    ['sandboxAdvance', 'Sandbox: advance'],
  ])('has %s as %s', (call, text) => {
    expect(activityText(CATALOG, 'call.made', { call })).toBe(text);
  });

  it('names both roles of a change', () => {
    const details = { name: 'Mia', role: { from: 'member', to: 'admin' } };
    expect(activityText(CATALOG, 'member.changed', details)).toBe('Changed the role of Mia from member to admin');
  });
});
