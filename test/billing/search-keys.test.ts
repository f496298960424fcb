import { searchKey, storeSearchKeys } from '../../src/billing/resources/search-keys.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { withRecords } from '../engine/support/stores.ts';
import { customer, merchantOf, offer, unique } from '../store/support/documents.ts';

describe('the key of a text', () => {
  it.each([
    ['Mia', 'mia'],
    ['  MIA\t', 'mia'],
    ['ﬁnca Ａ', 'finca a'],
    ['e\u0301', 'é'],
    ['   ', null],
    [null, null],
  ])('of %j is %j', (text, key) => {
    expect(searchKey(text)).toBe(key);
  });

  it('is never cut within a character', () => {
    expect(searchKey('𝒳'.repeat(200))).toBe('x'.repeat(100));
    expect(searchKey('😀'.repeat(200))).toBe('😀'.repeat(100));
  });
});

describe('storing the keys of older documents', () => {
  it('sets those that are missing or stale, also of more than one page, and counts them', async () => {
    const { records } = openMemoryStore();
    const merchantId = unique('mrc');
    const old = Array.from({ length: 501 }, (_, at) => customer({ merchantId, name: `Mia ${at}`, email: null }));
    const stale = customer({ merchantId, name: 'New', nameKey: 'old', email: null, merchantReferenceId: null });
    await records.insert('customers', [...old, stale]);
    await records.insert('merchants', [{ ...merchantOf(merchantId), name: 'Coffee' }]);
    await records.insert('offers', [offer({ name: 'Tea', nameKey: 'tea' })]);
    expect(await storeSearchKeys(records)).toBe(503);
    const [changed] = await records.get('customers', [stale._id]);
    expect(changed).toMatchObject({ nameKey: 'new', emailKey: null, referenceKey: null, rev: stale.rev });
    const where = { merchantId, nameKey: { gte: 'mia 50', lt: 'mia 50\u{10ffff}' } };
    const found = await records.find('customers', { where, limit: 20 });
    expect(found.map(({ name }) => name).sort()).toEqual(['Mia 50', 'Mia 500']);
    expect(await storeSearchKeys(records)).toBe(0);
  });

  it('leaves a document that is changed meanwhile', async () => {
    const store = openMemoryStore();
    const doc = offer({ name: 'Tea' });
    await store.records.insert('offers', [doc]);
    const rival = withRecords(store, (records) => ({
      changeMany: async (of, changes) => {
        await records.change('offers', doc._id, {}, { set: { name: 'Coffee', nameKey: 'coffee' } });
        return records.changeMany(of, changes);
      },
    }));
    expect(await storeSearchKeys(rival.records)).toBe(0);
    expect(await store.records.get('offers', [doc._id])).toMatchObject([{ name: 'Coffee', nameKey: 'coffee' }]);
  });
});
