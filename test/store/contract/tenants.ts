import { headOf } from '../../../src/store/actors/heads.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import type { Store, Where } from '../../../src/store/port.ts';
import { type TenantWhere, tenantStore } from '../../../src/store/tenant.ts';
import { actor, customer, event, insertActors, offer, unique, wallet } from '../support/documents.ts';

/** One merchant in one environment sees only its own data. */
export function tenantContract(open: () => Store): void {
  async function twoMerchantsInTwoModes() {
    const merchants = [unique('mrc'), unique('mrc')];
    const tenants = merchants.flatMap((merchantId): Tenant[] => [
      { merchantId, mode: 'live' },
      { merchantId, mode: 'test' },
    ]);
    const own = [];
    for (const tenant of tenants) {
      const docs = {
        ...{ tenant, sub: actor(tenant), offer: offer({ ...tenant, identifier: 'coffee' }) },
        ...{ customer: customer({ ...tenant, walletKeys: ['evm:0x1'] }), wallet: wallet(tenant), event: event(tenant) },
      };
      await insertActors(open(), [docs.sub]);
      expect(await open().records.insert('offers', [docs.offer])).toEqual([{ inserted: true }]);
      expect(await open().records.insert('customers', [docs.customer])).toEqual([{ inserted: true }]);
      expect(await open().records.insert('wallets', [docs.wallet])).toEqual([{ inserted: true }]);
      expect(await open().records.insert('events', [docs.event])).toEqual([{ inserted: true }]);
      own.push(docs);
    }
    return own;
  }

  it('returns by id only the tenant’s own documents, and null for all others', async () => {
    const everybody = await twoMerchantsInTwoModes();
    for (const mine of everybody) {
      const store = tenantStore(open(), mine.tenant);
      for (const theirs of everybody) {
        const expected =
          theirs === mine ? theirs : { sub: null, offer: null, customer: null, wallet: null, event: null };
        expect(await store.actor('subscription', theirs.sub._id)).toEqual(expected.sub);
        expect(await store.record('offers', theirs.offer._id)).toEqual(expected.offer);
        expect(await store.record('customers', theirs.customer._id)).toEqual(expected.customer);
        expect(await store.record('wallets', theirs.wallet._id)).toEqual(expected.wallet);
        expect(await store.record('events', theirs.event._id)).toEqual(expected.event);
      }
      expect(await store.actor('subscription', 'nobody')).toBeNull();
      expect(await store.actor('payment', mine.sub._id)).toBeNull();
      expect(await store.record('offers', 'nobody')).toBeNull();
    }
  });

  it('lists the tenant’s own documents only, whatever the query', async () => {
    for (const mine of await twoMerchantsInTwoModes()) {
      const store = tenantStore(open(), mine.tenant);
      expect(await store.findActors('subscription', { where: {}, limit: 10 })).toEqual([headOf(mine.sub)]);
      expect(await store.find('offers', { where: { identifier: 'coffee' }, limit: 10 })).toEqual([mine.offer]);
      expect(await store.find('customers', { where: { walletKeys: 'evm:0x1' }, limit: 10 })).toEqual([mine.customer]);
      expect(await store.find('wallets', { where: {}, sort: [['createdAt', -1]], limit: 10 })).toEqual([mine.wallet]);
    }
  });

  describe('a query that names a tenant', () => {
    it.each(['merchantId', 'mode'])('is refused: %s', async (field) => {
      const store = tenantStore(open(), { merchantId: unique('mrc'), mode: 'test' });
      const where: TenantWhere = fieldOf(field);
      await expect(store.find('offers', { where, limit: 1 })).rejects.toThrow(
        'names merchantId or mode; leave both out',
      );
      await expect(store.findActors('payment', { where, limit: 1 })).rejects.toThrow(
        'names merchantId or mode; leave both out',
      );
    });
  });

  it('does not compile if a query names a tenant', () => {
    // @ts-expect-error the tenant is the store's to add
    const where: TenantWhere = { merchantId: 'mrc_other' };
    expect(where).toBeDefined();
  });

  it('cannot be made without a merchant', () => {
    expect(() => tenantStore(open(), { merchantId: '', mode: 'test' })).toThrow('a tenant needs a merchantId');
  });
}

/** A condition under a name that the compiler does not know. */
function fieldOf(field: string): Where & { merchantId?: never; mode?: never } {
  const where = {};
  Reflect.set(where, field, { not: null });
  return where;
}
