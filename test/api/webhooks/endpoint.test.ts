import { expectError, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

const LIVE = 'https://shop.example.com/hooks';
const SANDBOX = 'http://shop.example.com/sandbox-hooks';

function patch(body: unknown, key?: string): Promise<Reply> {
  return merchant.call('PATCH', '/webhooks/endpoint', body, key);
}

function get(key?: string): Promise<Reply> {
  return merchant.get('/webhooks/endpoint', key);
}

describe('GET /webhooks/endpoint 200', () => {
  it('shows an unset endpoint as empty', async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toEqual({ environment: 'sandbox', url: '', effectiveUrl: null, extraEvents: false });
  });

  it('shows the live URL for sandbox events without their own, but not the reverse', async () => {
    await patch({ url: LIVE }, merchant.liveKey);
    expect((await get()).body).toMatchObject({ environment: 'sandbox', url: '', effectiveUrl: LIVE });
    await patch({ url: SANDBOX });
    expect((await get()).body).toMatchObject({ url: SANDBOX, effectiveUrl: SANDBOX });
    await patch({ url: '' }, merchant.liveKey);
    expect((await get(merchant.liveKey)).body).toMatchObject({ environment: 'live', url: '', effectiveUrl: null });
  });
});

describe('PATCH /webhooks/endpoint 200', () => {
  it("sets, shows and unsets the URL of the key's environment", async () => {
    const set = await patch({ url: SANDBOX });
    expect(set.status).toBe(200);
    expect(set.body).toEqual({ environment: 'sandbox', url: SANDBOX, effectiveUrl: SANDBOX, extraEvents: false });
    expect((await get(merchant.liveKey)).body).toMatchObject({ url: '' });
    expect((await patch({ url: '' })).body).toMatchObject({ url: '', effectiveUrl: null });
  });

  it('stores a URL as it was sent', async () => {
    const url = 'HTTPS://Hooks.Example:443';
    expect((await patch({ url })).body).toMatchObject({ url });
  });

  it('switches extra events on and off without changing the URL', async () => {
    await patch({ url: SANDBOX });
    expect((await patch({ extraEvents: true })).body).toMatchObject({ url: SANDBOX, extraEvents: true });
    expect((await get(merchant.liveKey)).body).toMatchObject({ extraEvents: false });
    expect((await patch({ url: '', extraEvents: false })).body).toMatchObject({ url: '', extraEvents: false });
  });
});

describe('PATCH /webhooks/endpoint 400', () => {
  it.each([
    ['nothing to update', {}, 'body must have a field to update: url or extraEvents'],
    ['a typo', { uri: LIVE }, 'body must have a field to update: url or extraEvents'],
    [
      'a url that is too long',
      { url: `https://a.example/${'x'.repeat(2_048)}` },
      'url must be at most 2048 characters',
    ],
    ['another scheme', { url: 'ftp://shop.example.com' }, 'url must be an http or https URL'],
    ['a private address', { url: 'http://10.0.0.1/hooks' }, 'url must point to public addresses only'],
    ['what is no URL', { url: 'nonsense', extraEvents: true }, 'url must be an absolute http or https URL'],
    ['a password', { url: 'http://u:p@shop.example.com' }, 'url must not contain a user name or password'],
  ])('refuses %s', async (_what, body, message) => {
    expectError(await patch(body), 400, expect.stringContaining(message));
    expect((await get()).body).toMatchObject({ url: '', extraEvents: false });
    expect((await merchant.get('/webhooks/secret')).body).toMatchObject({ configured: false });
  });

  it('refuses http in live mode', async () => {
    const reply = await patch({ url: SANDBOX }, merchant.liveKey);
    expectError(reply, 400, 'url must be an https URL in live mode; http is for the sandbox');
  });
});
