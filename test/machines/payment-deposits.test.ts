import { blockedReasonOf } from '../../machines/payment/changes.ts';
import {
  about,
  CANCEL,
  DEPOSIT_EXPIRED,
  DEPOSIT_EXPIRES,
  deposited,
  depositSeen,
  TestPayment,
} from './support/payment.ts';

function transfer(): TestPayment {
  return new TestPayment({ of: 'transfer' });
}

const FAILED = ['payment.failed/insufficient_balance', 'settle deposit'];

describe('a payment that waits for a deposit', () => {
  it('requests a watch of its address and a wake at its deadline, and has made no attempt', () => {
    const payment = transfer();
    expect(payment.asked).toEqual([{ type: 'deposit.watch' }]);
    expect(payment.context).toMatchObject({ attempt: 0, wakeAt: DEPOSIT_EXPIRES, fromWallet: null });
  });

  it('is charged as soon as enough has enough confirmations, and not before', () => {
    const payment = transfer();
    expect(payment.send(depositSeen('9900000', '9899999'))).toEqual([]);
    expect(payment.stateName).toBe('pending.awaiting');
    expect(payment.send(depositSeen('9900000'))).toEqual(['request 1']);
    expect(payment.context).toMatchObject({ attempt: 1, wakeAt: null, fromWallet: '0xsender' });
    expect(payment.isUnmovedBy(depositSeen('19900000'))).toBe(true);
  });

  it('ignores a check without a new fact', () => {
    expect(transfer().hears(depositSeen('5')).isUnmovedBy(depositSeen('5'))).toBe(true);
  });

  it('can be canceled until money arrives, and again after a reorg of it', () => {
    const payment = transfer().hears(depositSeen('1', '0'));
    expect(payment.refuses(CANCEL)).toBe(true);
    payment.send(depositSeen('0'));
    expect(payment.send(CANCEL)).toEqual(['payment.canceled', 'settle deposit']);
  });

  it('cannot be canceled while its charge waits for a sender, not even after a release', () => {
    const payment = transfer().hears(depositSeen('9900000'));
    expect(payment.refuses(CANCEL)).toBe(true);
    payment.hears('started', 'released');
    expect(payment.stateName).toBe('pending.requested');
    expect(payment.refuses(CANCEL)).toBe(true);
  });
});

describe('a payment whose offer is sold out', () => {
  const SOLD_OUT = ['payment.canceled', 'settle deposit'];

  it('is canceled when enough has arrived, by a check or at the deadline', () => {
    for (const type of ['deposit.seen', 'deposit.expired'] as const) {
      const payment = transfer();
      if (type === 'deposit.expired') payment.at(DEPOSIT_EXPIRES);
      expect(payment.send({ type, found: deposited('9900000'), isSoldOut: true })).toEqual(SOLD_OUT);
      expect(payment.stateName).toBe('canceled');
      expect(blockedReasonOf(payment.context)).toBe('sold_out');
    }
  });

  it('waits while too little has arrived, or not deep enough, and is charged if a unit is released', () => {
    const payment = transfer();
    const shallow = { type: 'deposit.seen', found: deposited('9900000', '0'), isSoldOut: true } as const;
    expect(payment.send(shallow)).toEqual([]);
    expect(payment.send(depositSeen('9900000'))).toEqual(['request 1']);
  });
});

describe('a payment whose deposit has expired', () => {
  it('fails with the missing amount', () => {
    const payment = transfer().at(DEPOSIT_EXPIRES);
    expect(payment.send({ type: 'deposit.expired', found: deposited('9899999') })).toEqual(FAILED);
    expect(payment.context).toMatchObject({ failureReason: 'insufficient_balance', wakeAt: null, attempt: 0 });
  });

  it('is charged if enough arrives at the last moment', () => {
    const payment = transfer().at(DEPOSIT_EXPIRES);
    expect(payment.send({ type: 'deposit.expired', found: deposited('9900000') })).toEqual(['request 1']);
  });

  it('keeps waiting while confirmations are missing, or the chain does not answer', () => {
    const payment = transfer().at(DEPOSIT_EXPIRES);
    expect(payment.send({ type: 'deposit.expired', found: null })).toEqual([]);
    const again = payment.context.wakeAt;
    expect(Date.parse(again ?? '')).toBe(Date.parse(DEPOSIT_EXPIRES) + 15_000);
    payment.at(again);
    expect(payment.send({ type: 'deposit.expired', found: deposited('9900000', '0') })).toEqual([]);
    expect(payment.context.deposit).toMatchObject({ arrived: '9900000', confirmed: '0' });
    payment.at(payment.context.wakeAt);
    expect(payment.send(DEPOSIT_EXPIRED)).toEqual(FAILED);
  });

  it('stays failed whatever arrives later', () => {
    expect(transfer().at(DEPOSIT_EXPIRES).hears(DEPOSIT_EXPIRED).isUnmovedBy(depositSeen('9900000'))).toBe(true);
  });
});

describe('the deposits of a payment', () => {
  it('are processed when it settles, and again after a reorg', () => {
    const payment = transfer().hears(depositSeen('9900000'), 'started', 'mined');
    expect(payment.send(about(1).final)).toEqual(['payment.succeeded', 'settle deposit']);
    expect(payment.send(about(1).reorged)).toEqual(['payment.failed/pull_reverted', 'settle deposit']);
    expect(payment.send(about(1).final)).toEqual(['payment.succeeded', 'settle deposit']);
  });
});
