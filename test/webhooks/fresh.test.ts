import type { EventDoc } from '../../src/store/collections.ts';
import { Fresh } from '../../src/webhooks/fresh.ts';
import { actor } from '../store/support/documents.ts';

function event(name: string): EventDoc {
  const of = { merchantId: 'mrc_1', mode: 'test', resourceId: 'cust_1', sequence: 1, data: {} } as const;
  return { _id: `evt_${name}`, event: 'customer.created', createdAt: new Date(), ...of };
}

function delivery(name: string, rev = 1) {
  return actor({ _id: `dlv_${name}`, kind: 'delivery', rev, attributes: { eventId: `evt_${name}` } });
}

describe('what has just been written of a delivery', () => {
  it('is given once, as of the revision that is asked for', () => {
    const fresh = new Fresh();
    fresh.logged(event('a'));
    fresh.begun(delivery('a'));
    fresh.begun(delivery('b', 2));
    expect(fresh.take('dlv_a', 1)).toMatchObject({ _id: 'dlv_a' });
    expect(fresh.takeEvent('evt_a')).toMatchObject({ _id: 'evt_a' });
    expect(fresh.take('dlv_b', 1)).toBeNull();
    expect([fresh.take('dlv_a', 1), fresh.takeEvent('evt_a'), fresh.take('dlv_b', 2)]).toEqual([null, null, null]);
  });

  it('is forgotten when it has moved on', () => {
    const fresh = new Fresh();
    fresh.logged(event('a'));
    fresh.begun(delivery('a'));
    fresh.over(delivery('a', 2));
    expect([fresh.take('dlv_a', 1), fresh.takeEvent('evt_a')]).toEqual([null, null]);
  });

  it('still has room after any number of deliveries that were over when they were made', () => {
    const fresh = new Fresh();
    for (let n = 0; n < 6_000; n += 1) {
      fresh.logged(event(String(n)));
      fresh.over(delivery(String(n)));
    }
    fresh.logged(event('last'));
    expect(fresh.takeEvent('evt_last')).not.toBeNull();
  });
});
