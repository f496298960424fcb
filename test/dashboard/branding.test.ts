import { LOGO_BYTES_MAX } from '../../src/billing/administration/branding.ts';
import { journalOf } from '../staff/support/staff.ts';
import { offerBody } from '../support/bodies.ts';
import { idOf, useHttp } from '../support/http.ts';
import { pngFile } from '../support/png.ts';
import { type Person, signedIn } from './support.ts';

const http = useHttp();
async function shopWithAdmin() {
  const shop = await http.merchant();
  return { shop, id: shop.merchant._id, admin: await signedIn(http, shop, 'admin', 'Ada') };
}

function upload(admin: Person, file: Buffer) {
  return admin.call('PATCH', '/branding', { logo: file.toString('base64') });
}

/** The address of the logo that an answer names. */
function logoIn({ body }: { readonly body: unknown }): string {
  const path = /"logoPath":"([^"]+)"/.exec(JSON.stringify(body))?.[1];
  if (path === undefined) throw new Error(`no logo: ${JSON.stringify(body)}`);
  return path;
}

async function bytesAt(
  path: string,
): Promise<{ readonly status: number; readonly headers: Headers; readonly file: Buffer }> {
  const response = await fetch(`${http.url}${path}`);
  return { status: response.status, headers: response.headers, file: Buffer.from(await response.arrayBuffer()) };
}

const NONE = { logoPath: null, accentColor: null, legalName: null, legalAddress: null };

describe('the branding of a merchant', () => {
  it('has the legal name and address for receipts, which are in the journal and on no public page', async () => {
    const { shop, admin, id } = await shopWithAdmin();
    http.later(1_000);
    const seller = { legalName: 'Acme GmbH', legalAddress: 'Main Street 1\n10115 Berlin' };
    expect((await admin.call('PATCH', '/branding', seller)).body).toEqual({ ...NONE, ...seller });
    const offerId = idOf(await http.call('POST', '/offers', { key: shop.testKey, body: offerBody() }));
    const { body } = await http.send('GET', `/checkout/api/offers/${offerId}`);
    expect(body).toMatchObject({ branding: { logoPath: null, accentColor: null } });
    expect(JSON.stringify(body)).not.toContain('Berlin');
    http.later(1_000);
    const { body: left } = await admin.call('PATCH', '/branding', { legalName: null });
    expect(left).toEqual({ ...NONE, legalAddress: seller.legalAddress });
    expect(await journalOf(http, id)).toMatchObject([
      { action: 'branding.changed', details: { legalName: { from: 'Acme GmbH', to: null } } },
      { action: 'branding.changed', details: { legalAddress: { from: null, to: seller.legalAddress } } },
      { by: 'staff', action: 'member.invited' },
    ]);
  });

  it('is set part by part, taken away, and in the journal', async () => {
    const { admin, id } = await shopWithAdmin();
    const none = NONE;
    expect((await admin.call('GET', '/branding')).body).toEqual(none);
    http.later(1_000);
    const logoPath = logoIn(await upload(admin, pngFile(8, 8)));
    http.later(1_000);
    const both = { ...none, logoPath, accentColor: '#ffee88' };
    expect((await admin.call('PATCH', '/branding', { accentColor: '#FFEE88' })).body).toEqual(both);
    expect((await admin.call('PATCH', '/branding', {})).body).toEqual(both);
    expect((await admin.call('GET', '/branding')).body).toEqual(both);
    http.later(1_000);
    expect((await admin.call('PATCH', '/branding', { logo: null, accentColor: null })).body).toEqual(none);
    const logo = logoPath.replace('/logos/', '');
    expect(await journalOf(http, id)).toMatchObject([
      {
        by: 'member:Ada',
        action: 'branding.changed',
        details: { logo: { from: logo, to: null }, accentColor: { from: '#ffee88', to: null } },
      },
      { by: 'member:Ada', action: 'branding.changed', details: { accentColor: { from: null, to: '#ffee88' } } },
      { by: 'member:Ada', action: 'branding.changed', details: { logo: { from: null, to: logo } } },
      { by: 'staff', action: 'member.invited' },
    ]);
  });

  it('has a logo with its exact bytes and type, cached for ever, and 404 once it is replaced', async () => {
    const { admin, id } = await shopWithAdmin();
    const file = pngFile(64, 64, undefined, LOGO_BYTES_MAX - 500);
    const first = logoIn(await upload(admin, file));
    const { status, headers, file: served } = await bytesAt(first);
    expect([status, served.equals(file)]).toEqual([200, true]);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const second = logoIn(await upload(admin, pngFile(9, 9)));
    expect(second).not.toBe(first);
    expect([(await bytesAt(first)).status, (await bytesAt(second)).status]).toEqual([404, 200]);
    await admin.call('PATCH', '/branding', { logo: null });
    expect((await bytesAt(second)).status).toBe(404);
    expect(await http.store.records.find('logos', { where: { merchantId: id }, limit: 10 })).toEqual([]);
  });

  it.each([
    [{ accentColor: 'red' }, 'accentColor must be a colour such as #0b5f7a'],
    [{ accentColor: '#fff' }, 'accentColor must be a colour such as #0b5f7a'],
    [{ legalName: ' ' }, 'legalName must not be blank'],
    [{ legalAddress: 'x'.repeat(501) }, 'legalAddress must be 1 to 500 characters long'],
    [{ logo: '<svg>' }, 'logo must be base64'],
    [{ logo: '' }, 'logo must be a PNG, JPEG or WebP picture. SVG is not taken: it can contain scripts'],
    [{ logo: Buffer.alloc(LOGO_BYTES_MAX + 3).toString('base64') }, 'logo must be at most 64 KB'],
    [{ logo: pngFile(1_025, 9).toString('base64') }, 'logo must be 1 to 1024 pixels wide and high; it is 1025 by 9'],
  ])('is refused and stays as it was: %#', async (change, error) => {
    const { admin, id } = await shopWithAdmin();
    const { status, body } = await admin.call('PATCH', '/branding', change);
    expect([status, body]).toEqual([400, { error }]);
    expect((await admin.call('GET', '/branding')).body).toEqual(NONE);
    expect(await http.store.records.find('logos', { where: { merchantId: id }, limit: 10 })).toEqual([]);
  });

  it('has a logo that stands for the image of a link where the offer has none', async () => {
    const { shop, admin } = await shopWithAdmin();
    const logoPath = logoIn(await upload(admin, pngFile(8, 8)));
    const { testKey } = shop;
    const plain = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    const imageUrl = 'https://shop.example/tea.png';
    const pictured = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody({ imageUrl }) }));
    const [page, other] = [
      await http.send('GET', `/checkout/${plain}`),
      await http.send('GET', `/checkout/${pictured}`),
    ];
    expect(page.body).toContain(`<meta property="og:image" content="https://pay.example.com${logoPath}">`);
    expect(other.body).toContain(`<meta property="og:image" content="${imageUrl}">`);
    expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data:; connect-src");
  });
});
