import { createMerchant, findKeyHolders, type MerchantsDeps } from '../../src/billing/administration/merchants.ts';
import { newApiKey, secretHash } from '../../src/model/secrets.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';

const clock = () => new Date('2030-01-15T10:00:00Z');

function depsOf(given: Partial<MerchantsDeps> = {}): MerchantsDeps {
  return { store: openMemoryStore(), clock, platformFeeBps: 100, welcome: async () => {}, ...given };
}

describe('API keys', () => {
  it('contain their environment, have a fixed length, and are unique', () => {
    const keys = Array.from({ length: 200 }, (_, index) => newApiKey(index % 2 === 0 ? 'test' : 'live'));
    expect(new Set(keys).size).toBe(200);
    for (const [index, key] of keys.entries()) {
      expect(key).toMatch(index % 2 === 0 ? /^tl_test_[0-9A-Za-z]{43}$/ : /^tl_live_[0-9A-Za-z]{43}$/);
    }
  });
});

describe('a new merchant', () => {
  it('has the default fee, factor 1, no webhook, and a key per environment', async () => {
    const deps = depsOf({ platformFeeBps: 250 });
    const { records } = deps.store;
    const { merchant, testKey, liveKey } = await createMerchant(deps, { name: 'A shop' });
    expect(await records.get('merchants', [merchant._id])).toEqual([merchant]);
    expect(merchant).toMatchObject({ name: 'A shop', status: 'active', feeBps: 250, limitFactor: 1 });
    expect(await findKeyHolders(records, [testKey, liveKey].map(secretHash))).toMatchObject([
      { merchant, mode: 'test', key: { _id: secretHash(testKey) } },
      { merchant, mode: 'live', key: { _id: secretHash(liveKey) } },
    ]);
  });

  it('gets its keys only after all notices are sent', async () => {
    const order: string[] = [];
    const welcome = async (merchant: { _id: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`notified of ${merchant._id}`);
    };
    const { merchant } = await createMerchant(depsOf({ welcome }), { name: 'A shop' });
    expect(order).toEqual([`notified of ${merchant._id}`]);
  });

  it.each([-1, 10_001, 1.5, Number.NaN])('cannot have a fee of %s basis points', async (platformFeeBps) => {
    const deps = depsOf({ platformFeeBps });
    await expect(createMerchant(deps, { name: 'A shop' })).rejects.toThrow('feeBps must be');
  });
});

describe('findKeyHolders', () => {
  it('finds nobody for a revoked key or a suspended merchant, in the order of the keys', async () => {
    const deps = depsOf();
    const { records } = deps.store;
    const { merchant, testKey, liveKey } = await createMerchant(deps, { name: 'A shop' });
    const other = await createMerchant(deps, { name: 'Another shop' });
    const hashes = ['tl_test_nobody', testKey, other.liveKey, liveKey, testKey].map(secretHash);
    await records.change('apiKeys', secretHash(testKey), {}, { set: { revokedAt: clock() } });
    const another = { merchant: other.merchant, mode: 'live' };
    expect(await findKeyHolders(records, hashes)).toMatchObject([
      null,
      null,
      another,
      { merchant, mode: 'live' },
      null,
    ]);
    await records.change('merchants', merchant._id, {}, { set: { status: 'suspended' } });
    expect(await findKeyHolders(records, hashes)).toMatchObject([null, null, another, null, null]);
  });
});
