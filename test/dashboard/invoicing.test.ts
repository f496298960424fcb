import { journalOf } from '../staff/support/staff.ts';
import { useHttp } from '../support/http.ts';
import { signedIn } from './support.ts';

const http = useHttp();
const GERMAN = {
  ...{ country: 'DE', taxId: 'DE123', currency: 'EUR', isTaxIncluded: false },
  ...{ taxRate: '19', taxRates: { FR: '20', US: '0' } },
};

describe('the settings of invoices', () => {
  it('need the legal name and address, keep the moment at which they began, and are in the journal', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin', 'Ada');
    expect((await admin.call('GET', '/invoicing')).body).toMatchObject({ since: null, taxRate: '0', country: '' });
    expect(await admin.call('PATCH', '/invoicing', GERMAN)).toMatchObject({
      ...{ status: 409, body: { error: expect.stringContaining('under Branding') } },
    });
    await admin.call('PATCH', '/branding', { legalName: 'Acme GmbH', legalAddress: 'Main Street 1' });
    const since = new Date(http.now.getTime() + 10_000).toISOString();
    expect((await admin.call('PATCH', '/invoicing', GERMAN)).body).toEqual({ ...GERMAN, since });
    http.later(60_000);
    const changed = { ...GERMAN, taxRate: '7' };
    expect((await admin.call('PATCH', '/invoicing', changed)).body).toEqual({ ...changed, since });
    expect(await journalOf(http, shop.merchant._id)).toMatchObject([
      {
        action: 'invoicing.changed',
        details: { from: { taxRate: '19' }, to: { taxRate: '7' } },
      },
      {},
      {},
      {},
    ]);
  });

  it.each([
    [{ country: 'Germany' }, 'country must be a country code'],
    [{ taxRate: '19,5' }, 'taxRate must be a percentage'],
    [{ taxRates: { FR: '-1' } }, 'must be a percentage'],
    [{ taxRates: { France: '20' } }, 'taxRates.France must be a country code'],
    [{ currency: 'XAU' }, 'currency'],
  ])('refuse %p', async (change, error) => {
    const admin = await signedIn(http, await http.merchant(), 'admin', 'Ada');
    const { status, body } = await admin.call('PATCH', '/invoicing', { ...GERMAN, ...change });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(error)]);
  });
});
