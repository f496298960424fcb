import { minuteOf } from '../../src/store/windows.ts';
import { signedIn } from '../dashboard/support.ts';
import { journalOf } from '../staff/support/staff.ts';
import { monthly, offerBody } from '../support/bodies.ts';
import { expectError, idOf, priceIdOf, type Reply, startHttp, useHttp } from '../support/http.ts';
import { linkTokenIn } from './support/checkout.ts';

const http = useHttp();
async function page(change: object): Promise<Reply> {
  const { testKey } = await http.merchant();
  const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody(change) }));
  return http.send('GET', `/checkout/${id}`);
}

describe('the page at checkoutUrl', () => {
  it('shows the offer and the price of each option', async () => {
    const { status, body, headers } = await page({
      name: 'Pro',
      description: 'Everything',
      pricing: [
        monthly({ label: 'Monthly', trialDays: 14 }),
        monthly({ amount: '50', currency: 'EUR', billing: { type: 'one_time' } }),
        monthly({ label: 'Seats', model: 'per_unit', maxQuantity: 9, quantityChangedBy: 'customer' }),
        monthly({ label: 'Team', model: 'per_unit', minQuantity: 2, maxQuantity: 9 }),
        monthly({ label: 'Quarterly', billing: { type: 'recurring', interval: 'month', intervalCount: 3 } }),
      ],
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of [
      '<h1><bdi>Pro</bdi></h1>',
      '<p class="typed" dir="auto">Everything</p>',
      '<span data-part="price-name">Monthly</span> <strong class="number">9.90 USD every month</strong><ul class="conditions small soft"><li>the first 14 days free',
      '<span data-part="price-name">Once</span> <strong class="number">50 EUR</strong>',
      '<span data-part="price-name">Seats</span> <strong class="number">9.90 USD per unit every month</strong>',
      '<span data-part="price-name">Team</span> <strong class="number">2 × 9.90 USD every month</strong>',
      '9.90 USD every 3 months',
      'Test mode',
    ]) {
      expect(body).toContain(text);
    }
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;");
  });

  it('has the offer in it as the API has it, with the time of the service', async () => {
    const { testKey } = await http.merchant();
    const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    const page = String((await http.send('GET', `/checkout/${id}`)).body);
    const { body: offer } = await http.send('GET', `/checkout/api/offers/${id}`);
    const [, data = ''] = /id="data">(.*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(data)).toEqual({ at: http.now.toISOString(), offer });
  });

  it('may load the image of the offer from its host, and nothing else from another host', async () => {
    const { headers } = await page({ imageUrl: 'https://cdn.example.com/pictures/pro.png?size=2' });
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy.filter((rule) => rule.includes('://'))).toEqual(["img-src 'self' data: https://cdn.example.com"]);
    expect(policy.filter((rule) => rule.includes('unsafe'))).toEqual([]);
  });

  it.each([
    'https://cdn.example,https://evil.example/x.png',
    'https://a;script-src.example/x.png',
    'https://*.example/x.png',
    'https://*/x.png',
    "https://a'self'.example/x.png",
  ])('lets no host change the policy: %s', async (imageUrl) => {
    const plain = await page({});
    const { status, headers } = await page({ imageUrl });
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(plain.headers.get('content-security-policy'));
  });

  it('opens the relay of WalletConnect if the operator has a project, and nothing else', async () => {
    const walletConnect = { projectId: 'a1b2c3', relayUrl: 'wss://relay.example.com' };
    const server = await startHttp({ change: (deps) => ({ ...deps, config: { ...deps.config, walletConnect } }) });
    const [plain, offering] = await Promise.all(
      [http, server].map(async (each) => {
        const { testKey: key } = await each.merchant();
        const offer = await each.call('POST', '/offers', { key, body: offerBody() });
        const customerId = idOf(await each.call('POST', '/customers', { key, body: {} }));
        const body = { customerId, priceId: priceIdOf(offer) };
        const token = linkTokenIn(await each.call('POST', '/subscriptions', { key, body }));
        const paths = [`/checkout/${idOf(offer)}`, `/checkout/authorize/${token}`, '/portal'];
        return Promise.all(paths.map((path) => each.send('GET', path)));
      }),
    );
    const policies = (replies: readonly Reply[] = []) =>
      replies.map(({ headers }) => headers.get('content-security-policy'));
    expect(policies(plain).every((policy) => policy?.includes("connect-src 'self'; "))).toBe(true);
    expect(policies(offering)).toEqual(
      policies(plain).map((policy) =>
        policy?.replace("connect-src 'self'", "connect-src 'self' wss://relay.example.com"),
      ),
    );
    for (const { body } of plain ?? []) expect(body).not.toContain('data-walletconnect');
    for (const { body } of offering ?? []) {
      expect(body).toContain(' data-walletconnect="a1b2c3" data-relay="wss://relay.example.com">');
    }
  });

  it('of a live offer can be framed by the origins that the merchant has named, and by no other', async () => {
    const shop = await http.merchant();
    const { liveKey } = shop;
    const admin = await signedIn(http, shop, 'admin');
    const offer = offerBody({ pricing: [monthly({ acceptedTokens: ['usdc-base'] })] });
    const id = idOf(await http.call('POST', '/offers', { key: liveKey, body: offer }));
    const framing = async (origin: string) => {
      const { headers } = await http.send('GET', `/checkout/${id}?embed=${encodeURIComponent(origin)}`);
      return headers.get('content-security-policy')?.match(/frame-ancestors (.*)$/)?.[1];
    };
    const [own, other] = ['https://shop.example.com', 'https://thief.example.com'];
    expect(await framing(own)).toBe("'none'");
    const name = (origins: readonly string[]) => admin.call('PATCH', '/embed-origins', { origins });
    expect(await name([own, own])).toMatchObject({ status: 200, body: { origins: [own] } });
    expect([await framing(own), await framing(other)]).toEqual([own, "'none'"]);
    for (const wrong of [`${own}/page`, '*', 'https://*.example.com', 'javascript:1'])
      expect((await name([wrong])).status).toBe(400);
    expect(await framing(own)).toBe(own);
    expect((await name([])).status).toBe(200);
    expect(await framing(own)).toBe("'none'");
    const entry = expect.objectContaining({ by: 'member:admin', action: 'embed_origins.changed' });
    expect(await journalOf(http, shop.merchant._id)).toContainEqual(entry);
  });

  it('of a test offer can be framed by nobody, or by the one origin that the embed script names', async () => {
    const { testKey } = await http.merchant();
    const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    const framing = async (query: string) => {
      const { headers } = await http.send('GET', `/checkout/${id}${query}`);
      const ancestors = headers.get('content-security-policy')?.match(/frame-ancestors (.*)$/)?.[1];
      return [ancestors, headers.get('x-frame-options')];
    };
    expect(await framing('')).toEqual(["'none'", 'DENY']);
    expect(await framing('?embed=https://shop.example.com/page?a=b')).toEqual(['https://shop.example.com', null]);
    for (const wrong of [
      '*',
      'null',
      'data:text/html,x',
      'javascript:1',
      'https:',
      'https://a.example https://b.example',
      'https://*',
      'https://*.example',
      'https://a;b.example',
      'https://a.example,b.example',
    ]) {
      expect(await framing(`?embed=${encodeURIComponent(wrong)}`)).toEqual(["'none'", 'DENY']);
    }
  });

  it('escapes all text of the merchant', async () => {
    const hostile = `<script>alert(1)</script>"'&`;
    const { body, headers } = await page({
      name: hostile,
      description: hostile,
      pricing: [monthly({ label: hostile })],
    });
    expect(body).not.toContain('<script>');
    expect(String(body).match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\.\.\/assets\//),
      '<script type="application/json" id="data">',
    ]);
    expect(String(body).match(/<\/script>/g)).toHaveLength(2);
    expect(String(body).split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')).toHaveLength(8);
    const [, data = ''] = /id="data">(.*)<\/script>/.exec(String(body)) ?? [];
    expect(JSON.parse(data)).toMatchObject({ offer: { name: hostile, description: hostile } });
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('sells nothing while the offer is closed', async () => {
    const { status, body } = await page({ active: false });
    expect(status).toBe(200);
    expect(body).toContain('not available at the moment');
    expect(body).not.toContain('9.90');
  });

  it('answers 404 for unknown offers, and for those of a suspended merchant', async () => {
    const { merchant, testKey } = await http.merchant();
    const id = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    await http.store.records.change('merchants', merchant._id, {}, { set: { status: 'suspended' } });
    for (const offer of [id, 'offer_x', '%zz']) {
      expectError(await http.send('GET', `/checkout/${offer}`), 404, 'Not found');
    }
  });

  it.each([
    ['/checkout', '.', 'ask the shop for a new one'],
    ['/checkout/', '..', 'the shop has taken the offer away'],
    ['/checkout/offer_x', '..', 'the shop has taken the offer away'],
    ['/checkout/offer_x/more', '../..', 'the shop has taken the offer away'],
    ['/checkout/authorize/', '../..', 'from the message of the shop'],
    ['/checkout/authorize/auth_x', '../..', 'a newer one has replaced it'],
    ['/authorize/xx', '..', 'from the message of the shop'],
    ['/portal/xx', '..', 'see and end your subscriptions'],
    ['/receipts/xx', '..', 'Copy it again'],
  ])('%s says to people what is wrong and what to do, and to programs 404', async (path, toRoot, advice) => {
    const people = await http.send('GET', path, { headers: { Accept: 'text/html,*/*' } });
    expect([people.status, people.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(people.body).toContain('<h1>This address does not work</h1>');
    expect(people.body).toContain(advice);
    expect(people.body).toContain(`<a href="${toRoot}/portal">Open your portal</a>`);
    expect(people.body).toContain(`src="${toRoot}/assets/plain-`);
    expectError(await http.send('GET', path), 404, 'Not found');
    expect((await http.send('POST', path, { headers: { Accept: 'text/html' } })).status).toBe(404);
  });

  it('is limited per address', async () => {
    const own = await startHttp();
    const window = minuteOf(own.now).name;
    await own.store.counters.add(`ip/checkout/127.0.0.1/${window}`, 119, new Date('2030-02-01T00:00:00Z'));
    const statuses = [await own.send('GET', '/checkout/offer_x'), await own.send('GET', '/checkout/offer_x')];
    expect(statuses.map(({ status }) => status)).toEqual([404, 429]);
  });
});
