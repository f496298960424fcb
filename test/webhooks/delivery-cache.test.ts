import type { EventDoc } from '../../src/store/collections.ts';
import { DeliveryCache } from '../../src/webhooks/caches.ts';
import { actor } from '../store/support/documents.ts';

function event(name: string): EventDoc {
  const of = { merchantId: 'mrc_1', mode: 'test', resourceId: 'cust_1', sequence: 1, data: {} } as const;
  return { _id: `evt_${name}`, event: 'customer.created', createdAt: new Date(), ...of };
}

function delivery(name: string, rev = 1) {
  return actor({ _id: `dlv_${name}`, kind: 'delivery', rev, attributes: { eventId: `evt_${name}` } });
}

describe('the cache of written deliveries', () => {
  it('returns a delivery once, at the requested revision', () => {
    const cache = new DeliveryCache();
    cache.logged(event('a'));
    cache.begun(delivery('a'));
    cache.begun(delivery('b', 2));
    expect(cache.take('dlv_a', 1)).toMatchObject({ _id: 'dlv_a' });
    expect(cache.takeEvent('evt_a')).toMatchObject({ _id: 'evt_a' });
    expect(cache.take('dlv_b', 1)).toBeNull();
    expect([cache.take('dlv_a', 1), cache.takeEvent('evt_a'), cache.take('dlv_b', 2)]).toEqual([null, null, null]);
  });

  it('drops a delivery that has changed', () => {
    const cache = new DeliveryCache();
    cache.logged(event('a'));
    cache.begun(delivery('a'));
    cache.over(delivery('a', 2));
    expect([cache.take('dlv_a', 1), cache.takeEvent('evt_a')]).toEqual([null, null]);
  });

  it('has room after any number of deliveries that ended at their creation', () => {
    const cache = new DeliveryCache();
    for (let n = 0; n < 6_000; n += 1) {
      cache.logged(event(String(n)));
      cache.over(delivery(String(n)));
    }
    cache.logged(event('last'));
    expect(cache.takeEvent('evt_last')).not.toBeNull();
  });
});
