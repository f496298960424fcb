import fc from 'fast-check';
import { leftToRefund, nextRefundExpiry, refundedUnits, refundsOf } from '../../machines/payment/refunds.ts';
import type { EventOf } from '../../machines/versions.ts';
import {
  about,
  aboutRefund,
  OTHER_BLOCK,
  REFUND_EXPIRED,
  REFUND_EXPIRES,
  refundRequested,
  TestPayment,
  transferOf,
} from './support/payment.ts';

const PAID = 9_900_000n;

function settled(of: 'one-off' | 'cycle' = 'one-off'): TestPayment {
  return new TestPayment({ of }).hears('started', 'final');
}

function statusesOf(payment: TestPayment): string[] {
  return refundsOf(payment.context).map(({ id, status }) => `${id} ${status}`);
}

describe('a refund', () => {
  it('sets its amount aside until it ends without a transfer', () => {
    const payment = settled().hears(refundRequested('ref_1', '9000000'));
    expect(leftToRefund(payment.context)).toBe(900_000n);
    expect(payment.refuses(refundRequested('ref_2', '900001'))).toBe(true);
    payment.hears(aboutRefund('ref_1').canceled);
    expect(leftToRefund(payment.context)).toBe(PAID);
    payment.hears(refundRequested('ref_2', String(PAID)));
    expect(statusesOf(payment)).toEqual(['ref_1 failed', 'ref_2 requested']);
  });

  it('is none of an amount of 0, and none of a payment that is not settled', () => {
    expect(settled().refuses(refundRequested('ref_1', '0'))).toBe(true);
    const pending = new TestPayment({ of: 'one-off' }).hears('started', 'mined');
    expect(pending.refuses(refundRequested('ref_1', '1'))).toBe(true);
  });

  it('expires at its time and not before, and the payment wakes for the next one', () => {
    const payment = settled().hears(refundRequested('ref_1'));
    expect(payment.context.wakeAt).toBe(REFUND_EXPIRES);
    payment.hears(REFUND_EXPIRED);
    expect(statusesOf(payment)).toEqual(['ref_1 requested']);
    payment.at(REFUND_EXPIRES).hears(REFUND_EXPIRED);
    expect(statusesOf(payment)).toEqual(['ref_1 expired']);
    expect(payment.context.wakeAt).toBeNull();
  });

  it.each(['canceled', 'expired'] as const)('that is %s is settled by a transfer that comes late', (end) => {
    const payment = settled().hears(refundRequested('ref_1'));
    if (end === 'canceled') payment.hears(aboutRefund('ref_1').canceled);
    else payment.at(REFUND_EXPIRES).hears(REFUND_EXPIRED);
    payment.hears(aboutRefund('ref_1').settled);
    expect(statusesOf(payment)).toEqual(['ref_1 settled']);
    expect(refundedUnits(payment.context)).toBe(1_000_000n);
    expect(refundsOf(payment.context)[0]).toMatchObject({ failure: null });
  });

  it('is announced when it settles, once, and again only after the announcement that a reorg has removed it', () => {
    const payment = settled().hears(refundRequested('ref_1'), aboutRefund('ref_1').sent);
    const announced = ['payment.refunded'];
    expect(payment.send(aboutRefund('ref_1').settled)).toEqual(announced);
    expect(payment.send(aboutRefund('ref_1', transferOf('0xof-ref_1', 0, OTHER_BLOCK)).settled)).toEqual([]);
    expect(refundsOf(payment.context)[0]?.transfer?.block).toEqual(OTHER_BLOCK);
    expect(payment.send(aboutRefund('ref_1').reorged)).toEqual(['payment.refund_reversed']);
    expect(payment.send(aboutRefund('ref_1').reorged)).toEqual([]);
    expect([statusesOf(payment), refundedUnits(payment.context)]).toEqual([['ref_1 requested'], 0n]);
    expect(payment.context.wakeAt).toBe(REFUND_EXPIRES);
    expect(payment.send(aboutRefund('ref_1').settled)).toEqual(announced);
  });

  it('never shares its transfer with another one', () => {
    const payment = settled().hears(refundRequested('ref_1'), refundRequested('ref_2'));
    payment.hears(aboutRefund('ref_1', transferOf('0xone')).settled);
    payment.hears(aboutRefund('ref_2', transferOf('0xone')).settled);
    expect(statusesOf(payment)).toEqual(['ref_1 settled', 'ref_2 requested']);
    payment.hears(aboutRefund('ref_2', transferOf('0xone', 1)).settled);
    expect(statusesOf(payment)).toEqual(['ref_1 settled', 'ref_2 settled']);
  });

  it('is given up when a reorg removes the charge, unless its transfer is on the chain', () => {
    const payment = settled().hears(refundRequested('ref_1'), refundRequested('ref_2'), aboutRefund('ref_2').sent);
    payment.hears(about(1).reorged);
    expect(statusesOf(payment)).toEqual(['ref_1 failed', 'ref_2 sent']);
    expect(refundsOf(payment.context)[0]).toMatchObject({ failure: 'payment_reversed' });
    expect(payment.context.wakeAt).toBeNull();
    expect(payment.send(aboutRefund('ref_2').settled)).toHaveLength(1);
  });

  it('of a cycle is announced by its subscription', () => {
    const payment = settled('cycle').hears(refundRequested('ref_1'));
    expect(payment.send(aboutRefund('ref_1').settled)).toEqual(['tell charge.refunded 2.1']);
    expect(payment.send(aboutRefund('ref_1').reorged)).toEqual(['tell charge.refunded 2.1']);
  });
});

/** One of four refunds, which two transactions with two transfers each may make. */
const fact = fc.record({
  what: fc.constantFrom('request', 'cancel', 'sent', 'settled', 'reorged', 'expire', 'charge'),
  refund: fc.integer({ min: 1, max: 4 }),
  amount: fc.bigInt({ min: 1n, max: PAID }),
  transaction: fc.integer({ min: 1, max: 2 }),
  index: fc.integer({ min: 0, max: 1 }),
});

type Fact = typeof fact extends fc.Arbitrary<infer F> ? F : never;

function eventOf({ what, refund, amount, transaction, index }: Fact): EventOf<'payment'> {
  const id = `ref_${refund}`;
  const facts = aboutRefund(id, transferOf(`0xtx-${transaction}`, index));
  switch (what) {
    case 'request':
      return refundRequested(id, String(amount));
    case 'cancel':
      return facts.canceled;
    case 'sent':
    case 'settled':
    case 'reorged':
      return facts[what];
    case 'charge':
      return about(1).reorged;
    default:
      return REFUND_EXPIRED;
  }
}

describe('refunds, whatever happens in whatever order', () => {
  it('that are accepted are never more than was paid, and no transfer makes two', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 30 }), (facts) => {
        const payment = settled();
        for (const each of facts) {
          const before = leftToRefund(payment.context);
          const event = eventOf(each);
          if (payment.refuses(event)) continue;
          const count = refundsOf(payment.context).length;
          payment.hears(event);
          const refunds = refundsOf(payment.context);
          if (refunds.length > count) expect(BigInt(refunds.at(-1)?.amount ?? 0)).toBeLessThanOrEqual(before);
          const transfers = refunds.flatMap(({ transfer }) =>
            transfer ? [`${transfer.transaction} ${transfer.index}`] : [],
          );
          expect(new Set(transfers).size).toBe(transfers.length);
          for (const { status, transfer, settledAt } of refunds) {
            expect(transfer !== null).toBe(status === 'sent' || status === 'settled');
            expect(settledAt !== null).toBe(status === 'settled');
          }
          if (payment.stateName === 'settled') expect(payment.context.wakeAt).toBe(nextRefundExpiry(payment.context));
        }
      }),
    );
  });
});
