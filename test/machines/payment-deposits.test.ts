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
  it('asks for its address to be watched, wants to be woken when time is up, and has made no attempt', () => {
    const payment = transfer();
    expect(payment.asked).toEqual([{ type: 'deposit.watch' }]);
    expect(payment.context).toMatchObject({ attempt: 0, wakeAt: DEPOSIT_EXPIRES, fromWallet: null });
  });

  it('is charged as soon as enough is deep enough, and not for what is not', () => {
    const payment = transfer();
    expect(payment.send(depositSeen('9900000', '9899999'))).toEqual([]);
    expect(payment.place).toBe('pending.awaiting');
    expect(payment.send(depositSeen('9900000'))).toEqual(['request 1']);
    expect(payment.context).toMatchObject({ attempt: 1, wakeAt: null, fromWallet: '0xsender' });
    expect(payment.isUnmovedBy(depositSeen('19900000'))).toBe(true);
  });

  it('takes no notice of a check that finds what is known', () => {
    const payment = transfer();
    payment.send(depositSeen('5'));
    expect(payment.isUnmovedBy(depositSeen('5'))).toBe(true);
  });

  it('can be canceled until something has been sent, and again when that was reorged out', () => {
    const payment = transfer();
    payment.send(depositSeen('1', '0'));
    expect(payment.refuses(CANCEL)).toBe(true);
    payment.send(depositSeen('0'));
    expect(payment.send(CANCEL)).toEqual(['payment.canceled', 'settle deposit']);
  });

  it('cannot be canceled once its charge waits for a sender, nor when that is released', () => {
    const payment = transfer();
    payment.send(depositSeen('9900000'));
    expect(payment.refuses(CANCEL)).toBe(true);
    payment.hears('started', 'released');
    expect(payment.place).toBe('pending.requested');
    expect(payment.refuses(CANCEL)).toBe(true);
  });
});

describe('a payment whose deposit has run out of time', () => {
  it('is not asked before that', () => {
    expect(transfer().isUnmovedBy(DEPOSIT_EXPIRED)).toBe(true);
  });

  it('fails for what is missing', () => {
    const payment = transfer().at(DEPOSIT_EXPIRES);
    expect(payment.send({ type: 'deposit.expired', found: deposited('9899999') })).toEqual(FAILED);
    expect(payment.context).toMatchObject({ failureReason: 'insufficient_balance', wakeAt: null, attempt: 0 });
  });

  it('is charged where enough is found at the last moment', () => {
    const payment = transfer().at(DEPOSIT_EXPIRES);
    expect(payment.send({ type: 'deposit.expired', found: deposited('9900000') })).toEqual(['request 1']);
  });

  it('waits on while enough is not deep enough, or the chain is silent', () => {
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
    const payment = transfer().at(DEPOSIT_EXPIRES);
    payment.send(DEPOSIT_EXPIRED);
    expect(payment.isUnmovedBy(depositSeen('9900000'))).toBe(true);
  });
});

describe('the deposits of a payment', () => {
  it('are dealt with when it settles, and again when it is reorged out', () => {
    const payment = transfer();
    payment.send(depositSeen('9900000'));
    payment.hears('started', 'mined');
    expect(payment.send(about(1).final)).toEqual(['payment.succeeded', 'settle deposit']);
    expect(payment.send(about(1).reorged)).toEqual(['payment.failed/pull_reverted', 'settle deposit']);
    expect(payment.send(about(1).final)).toEqual(['payment.succeeded', 'settle deposit']);
  });

  it('of a pull from a wallet are nobody to ask for', () => {
    const payment = new TestPayment({ of: 'one-off' }).hears('started', 'final');
    expect(payment.asked.map(({ type }) => type)).not.toContain('deposit.settle');
  });
});
