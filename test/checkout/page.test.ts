import { beforeAll, describe, expect, it } from '@jest/globals';
import { minuteOf } from '../../src/http/middleware/windows.ts';
import { monthly, offerBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, type Reply, startHttp } from '../support/http.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

async function page(change: object): Promise<Reply> {
  const { testKey } = await http.merchant();
  const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody(change) }));
  return http.send('GET', `/checkout/${id}`);
}

describe('the page at checkoutUrl', () => {
  it('shows what the offer is and what each option costs', async () => {
    const { status, body, headers } = await page({
      name: 'Pro',
      description: 'Everything',
      pricing: [
        monthly({ label: 'Monthly', trialDays: 14 }),
        monthly({ amount: '50', currency: 'EUR', billing: { type: 'one_time' } }),
        monthly({ label: 'Quarterly', billing: { type: 'recurring', interval: 'month', intervalCount: 3 } }),
      ],
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of [
      '<h1>Pro</h1>',
      '<p>Everything</p>',
      '<span>Monthly</span><strong>9.90 USD every month, after 14 days of trial</strong>',
      '<span>usdc-local-evm</span><strong>50 EUR once</strong>',
      '9.90 USD every 3 months',
      'Test mode',
    ]) {
      expect(body).toContain(text);
    }
  });

  it('escapes everything that a merchant wrote, and lets nothing run', async () => {
    const hostile = `<script>alert(1)</script>"'&`;
    const { body, headers } = await page({
      name: hostile,
      description: hostile,
      pricing: [monthly({ label: hostile })],
    });
    expect(body).not.toContain('<script>');
    expect(String(body).split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')).toHaveLength(5);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['inactive', { active: false }],
    ['expired', { expiresAt: '2029-01-01T00:00:00Z' }],
    ['sold out', { availableQuantity: 0 }],
  ])('offers nothing where the offer is %s', async (_what, change) => {
    const { status, body } = await page(change);
    expect(status).toBe(200);
    expect(body).toContain('not available at the moment');
    expect(body).not.toContain('9.90');
  });

  it("is a 404 for what does not exist, and for a suspended merchant's", async () => {
    const { merchant, testKey } = await http.merchant();
    const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    await http.store.records.change('merchants', merchant._id, {}, { set: { status: 'suspended' } });
    for (const offer of [id, 'offer_x', '%zz']) {
      expect(await http.send('GET', `/checkout/${offer}`)).toMatchObject({ status: 404, body: { error: 'Not found' } });
    }
  });

  it('is limited per address', async () => {
    const own = await startHttp();
    const window = minuteOf(own.now).name;
    await own.store.counters.add(`ip/checkout/127.0.0.1/${window}`, 119, new Date('2030-02-01T00:00:00Z'));
    const statuses = [await own.send('GET', '/checkout/offer_x'), await own.send('GET', '/checkout/offer_x')];
    expect(statuses.map(({ status }) => status)).toEqual([404, 429]);
  });
});
