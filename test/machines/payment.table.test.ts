import { NO_HASHES } from '../../machines/payment/context.ts';
import { paymentEvent } from '../../machines/payment/events.ts';
import { nextRefundExpiry } from '../../machines/payment/refunds.ts';
import { paymentMachine } from '../../machines/payment.ts';
import type { EventOf } from '../../machines/versions.ts';
import {
  about,
  aboutPresent,
  aboutRefund,
  BLOCK,
  BLOCKED,
  CANCEL,
  DEPOSIT_EXPIRED,
  depositSeen,
  HASHES,
  PAUSE_LIFTED,
  PAUSE_OVER,
  type PaymentOptions,
  REFUND_EXPIRED,
  refundRequested,
  SCHEDULED,
  TestPayment,
  WITHDRAWN,
  type Word,
} from './support/payment.ts';
import { describeStateTable } from './support/state-table.ts';

/** All events about the present attempt, and `charge.opened` for the next one. */
function events(to: TestPayment): Record<string, EventOf<'payment'>> {
  const { attempt, pauses } = to.context;
  const now = aboutPresent(to.context);
  return {
    'actor.created': { type: 'actor.created', input: {} },
    'charge.opened': about(attempt + 1).opened,
    'charge.opened, forced': { ...about(attempt + 1).opened, forcedFailure: 'insufficient_balance' },
    'charge.opened, known': now.opened,
    'charge.withdrawn': WITHDRAWN,
    'charge.scheduled': SCHEDULED,
    'cancel.requested': CANCEL,
    'pause.over': PAUSE_OVER,
    'pause.lifted': PAUSE_LIFTED,
    'charge.blocked': { ...BLOCKED, round: pauses },
    'deposit.seen': depositSeen('9900000'),
    'deposit.expired': DEPOSIT_EXPIRED,
    'charge.started': now.started,
    'charge.released': now.released,
    'charge.refused': now.refused,
    'charge.undeliverable': now.undeliverable,
    'charge.mined': now.mined,
    'charge.final': now.final,
    'charge.moved': now.moved,
    'charge.reorged': now.reorged,
    'refund.requested': refundRequested('ref_2'),
    'refund.requested, more than is left': refundRequested('ref_2', '9900001'),
    'refund.requested, known': refundRequested('ref_1'),
    'refund.canceled': aboutRefund('ref_1').canceled,
    'refund.sent': aboutRefund('ref_1').sent,
    'refund.settled': aboutRefund('ref_1').settled,
    'refund.reorged': aboutRefund('ref_1').reorged,
    'refund.expired': REFUND_EXPIRED,
  };
}

function made(of: PaymentOptions['of'], ...words: readonly Word[]): () => TestPayment {
  return () => new TestPayment({ of }).hears(...words);
}

/** The cycle is withdrawn when its charge has started, or later. */
function withdrawn(...words: readonly Word[]): TestPayment {
  return new TestPayment({ of: 'cycle' }).hears(...words, WITHDRAWN);
}

/** A transfer with this amount seen. */
function arrived(amount: string): TestPayment {
  return new TestPayment({ of: 'transfer' }).hears(depositSeen(amount));
}

function paused(): TestPayment {
  const payment = new TestPayment({ of: 'cycle' }).hears('undeliverable');
  return payment.at(payment.context.wakeAt);
}

/** A settled payment whose refund `ref_1` has come so far. */
function refunding(of: PaymentOptions['of'], ...events: readonly EventOf<'payment'>[]): () => TestPayment {
  return () => made(of, 'started', 'final')().hears(refundRequested('ref_1'), ...events);
}

function canceled(): TestPayment {
  return new TestPayment({ of: 'one-off' }).hears(CANCEL);
}

const CASES: Readonly<Record<string, () => TestPayment>> = {
  'pending.awaiting, a transfer': made('transfer'),
  'pending.awaiting, a transfer that has arrived in part': () => arrived('1'),
  'pending.requested, a transfer': () => arrived('9900000'),
  'pending.requested, a cycle': made('cycle'),
  'pending.requested, a one-off': made('one-off'),
  'pending.started, a cycle': made('cycle', 'started'),
  'pending.started, a one-off': made('one-off', 'started'),
  'pending.started, a withdrawn cycle': () => withdrawn('started'),
  'pending.paused, a cycle': paused,
  'pulled, a cycle': made('cycle', 'started', 'mined'),
  'pulled, a one-off': made('one-off', 'started', 'mined'),
  'pulled, a withdrawn cycle': () => withdrawn('started', 'mined'),
  'settled, a cycle': made('cycle', 'started', 'mined', 'final'),
  'canceled, a cycle': () => withdrawn(),
  'settled, a one-off': made('one-off', 'started', 'mined', 'final'),
  'settled, a requested refund': refunding('one-off'),
  'settled, a sent refund': refunding('one-off', aboutRefund('ref_1').sent),
  'settled, a settled refund of a cycle': refunding('cycle', aboutRefund('ref_1').settled),
  'failed, a settled refund': refunding('one-off', aboutRefund('ref_1').settled, about(1).reorged),
  'canceled, a one-off': canceled,
  'failed, a cycle': made('cycle', 'refused'),
  'failed, a one-off': made('one-off', 'refused'),
};

describeStateTable({
  kind: 'payment',
  machine: paymentMachine,
  eventTypes: paymentEvent.options,
  events,
  cases: CASES,
});

describe.each(Object.entries(CASES))('a payment, %s', (_, make) => {
  it('waits only for a pause, a deposit or the end of a refund, and shows a transaction only while money has moved', () => {
    for (const [name, event] of Object.entries(events(make()))) {
      const payment = make();
      if (payment.refuses(event)) continue;
      payment.send(event);
      const { stateName, context } = payment;
      const waits = ['pending.paused', 'pending.awaiting'].includes(stateName) || nextRefundExpiry(context) !== null;
      const [block, hashes] = stateName === 'pulled' || stateName === 'settled' ? [BLOCK, HASHES] : [null, NO_HASHES];
      expect({ name, ...context }).toMatchObject({ name, wakeAt: waits ? expect.any(String) : null, block, hashes });
    }
  });

  it('accepts facts about another attempt, without a change', () => {
    const payment = make();
    for (const attempt of [payment.context.attempt + 1, payment.context.attempt + 7]) {
      const { mined, final, released, refused, reorged, undeliverable } = about(attempt);
      for (const event of [released, mined, final, refused, reorged, undeliverable]) {
        expect(payment.isUnmovedBy(event)).toBe(true);
      }
      expect(payment.refuses(about(attempt).started)).toBe(true);
    }
  });
});
