import { CANCEL, TestPayment } from './support/payment.ts';

const checkout = () => new TestPayment({ of: 'checkout' });

describe('the reservation of a one-time checkout', () => {
  it('is redeemed once, when the payment settles', () => {
    const made = checkout().hears('started', 'mined');
    expect(made.asked.map(({ type }) => type)).toEqual(['charge.request', 'webhook.emit']);
    made.hears('final');
    expect(made.asked.at(-1)).toEqual({ type: 'unit.count', offerId: 'offer_1', holder: 'pay_1' });
    const asked = made.asked.length;
    made.hears('final', 'final');
    expect(made.asked).toHaveLength(asked);
  });

  it.each(['refused', 'undeliverable'] as const)('is released when the charge is %s', (word) => {
    const made = checkout().hears(word);
    expect(made.stateName).toBe('failed');
    expect(made.asked.at(-1)).toEqual({ type: 'unit.free', offerId: 'offer_1', holder: 'pay_1' });
  });

  it('is released when the payment is canceled', () => {
    expect(checkout().send(CANCEL)).toEqual(['payment.canceled', 'free unit']);
  });

  it('stays redeemed after a reorg of the charge, and is redeemed when a failed charge still lands', () => {
    expect(checkout().hears('started', 'final').send({ type: 'charge.reorged', attempt: 1 })).toEqual([
      'payment.failed/pull_reverted',
    ]);
    expect(checkout().hears('refused', 'final').asked.at(-1)).toEqual({
      type: 'unit.count',
      offerId: 'offer_1',
      holder: 'pay_1',
      isLate: true,
    });
  });

  it('is redeemed once, even if a reorged charge lands again', () => {
    const counted = checkout().hears('started', 'final', 'reorged', 'final');
    expect(counted.stateName).toBe('settled');
    expect(counted.asked.filter(({ type }) => type === 'unit.count')).toHaveLength(1);
  });
});
