import { NO_HASHES } from '../../machines/payment/context.ts';
import { paymentEvent } from '../../machines/payment/events.ts';
import { paymentMachine } from '../../machines/payment.ts';
import type { EventOf } from '../../machines/versions.ts';
import { leavesOf } from './support/nodes.ts';
import {
  about,
  aboutPresent,
  BLOCK,
  BLOCKED,
  CANCEL,
  DEPOSIT_EXPIRED,
  depositSeen,
  HASHES,
  PAUSE_LIFTED,
  PAUSE_OVER,
  type PaymentOptions,
  SCHEDULED,
  TestPayment,
  WITHDRAWN,
  type Word,
} from './support/payment.ts';

type Reported = EventOf<'payment'>;

/** All events about the present attempt, and `charge.opened` for the next one. */
function said(to: TestPayment): Record<string, Reported> {
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
  };
}

/** Facts that may come at any time, which change nothing unless a case says otherwise. */
function taken(place: string) {
  return {
    'charge.opened': place,
    'charge.opened, forced': place,
    'charge.opened, known': place,
    'charge.withdrawn': place,
    'charge.scheduled': place,
    'charge.released': place,
    'charge.refused': place,
    'charge.undeliverable': place,
    'charge.blocked': place,
    'charge.mined': place,
    'charge.final': place,
    'charge.moved': place,
    'charge.reorged': place,
    'deposit.seen': place,
    'deposit.expired': place,
  };
}

const OF_CYCLE = {
  'charge.refused': 'failed: tell charge.failed/insufficient_balance 2.1',
  'charge.undeliverable': 'pending.paused: tell charge.blocked 2.1',
  'charge.mined': 'pulled: tell charge.pulled 2.1',
  'charge.final': 'settled: tell charge.settled 2.1',
};

const OF_ONE_OFF = {
  'charge.refused': 'failed: payment.failed/insufficient_balance',
  'charge.undeliverable': 'failed: payment.failed/forward_reverted',
  'charge.mined': 'pulled: payment.pulled',
  'charge.final': 'settled: payment.succeeded',
};

interface Case {
  readonly of: PaymentOptions['of'];
  readonly place: string;
  readonly make: () => TestPayment;
  readonly takes: Readonly<Record<string, string>>;
}

function made(of: PaymentOptions['of'], ...words: readonly Word[]): () => TestPayment {
  return () => new TestPayment({ of }).hears(...words);
}

function paused(): TestPayment {
  const payment = new TestPayment({ of: 'cycle' }).hears('undeliverable');
  return payment.at(payment.context.wakeAt);
}

function withdrawnOnceStarted(...words: readonly Word[]): () => TestPayment {
  return () => {
    const payment = new TestPayment({ of: 'cycle' }).hears('started', ...words);
    payment.send(WITHDRAWN);
    return payment;
  };
}

function canceled(of: PaymentOptions['of']): () => TestPayment {
  return () => {
    const payment = new TestPayment({ of });
    payment.send(of === 'cycle' ? WITHDRAWN : CANCEL);
    return payment;
  };
}

/** It waits for a sender again. */
const AGAIN = { 'charge.released': 'pending.requested' };

const CYCLE_TAKEN_BACK = 'canceled: tell charge.withdrawn 2.1';

const TRANSFER_TAKEN_BACK = 'canceled: payment.canceled, settle deposit';

/** A transfer with this amount seen. */
function awaiting(arrived: string): () => TestPayment {
  return () => {
    const payment = new TestPayment({ of: 'transfer' });
    payment.send(depositSeen(arrived));
    return payment;
  };
}

const CASES: readonly Case[] = [
  {
    of: 'transfer',
    place: 'pending.awaiting',
    make: made('transfer'),
    takes: {
      ...taken('pending.awaiting'),
      'charge.withdrawn': TRANSFER_TAKEN_BACK,
      'cancel.requested': TRANSFER_TAKEN_BACK,
      'deposit.seen': 'pending.requested: request 1',
    },
  },
  {
    of: 'transfer',
    place: 'pending.awaiting',
    make: awaiting('1'),
    takes: {
      ...taken('pending.awaiting'),
      'charge.withdrawn': TRANSFER_TAKEN_BACK,
      'deposit.seen': 'pending.requested: request 1',
    },
  },
  {
    of: 'transfer',
    place: 'pending.requested',
    make: awaiting('9900000'),
    takes: {
      ...taken('pending.requested'),
      'charge.blocked': 'pending.paused',
      'actor.created': 'pending.awaiting: watch deposit',
      'charge.withdrawn': TRANSFER_TAKEN_BACK,
      'charge.started': 'pending.started',
      'charge.refused': 'failed: payment.failed/insufficient_balance, settle deposit',
      'charge.undeliverable': 'failed: payment.failed/forward_reverted, settle deposit',
      'charge.mined': 'pulled: payment.pulled',
      'charge.final': 'settled: payment.succeeded, settle deposit',
    },
  },
  {
    of: 'cycle',
    place: 'pending.requested',
    make: made('cycle'),
    takes: {
      ...taken('pending.requested'),
      'charge.blocked': 'pending.paused: tell charge.blocked 2.1',
      ...OF_CYCLE,
      'actor.created': 'pending.requested: request 1',
      'charge.withdrawn': CYCLE_TAKEN_BACK,
      'charge.started': 'pending.started',
    },
  },
  {
    of: 'one-off',
    place: 'pending.requested',
    make: made('one-off'),
    takes: {
      ...taken('pending.requested'),
      'charge.blocked': 'pending.paused',
      ...OF_ONE_OFF,
      'actor.created': 'pending.requested: request 1',
      'charge.withdrawn': 'canceled: payment.canceled',
      'cancel.requested': 'canceled: payment.canceled',
      'charge.started': 'pending.started',
    },
  },
  {
    of: 'cycle',
    place: 'pending.started',
    make: made('cycle', 'started'),
    takes: { ...taken('pending.started'), ...OF_CYCLE, ...AGAIN, 'charge.started': 'pending.started' },
  },
  {
    of: 'one-off',
    place: 'pending.started',
    make: made('one-off', 'started'),
    takes: { ...taken('pending.started'), ...OF_ONE_OFF, ...AGAIN, 'charge.started': 'pending.started' },
  },
  {
    of: 'cycle',
    place: 'pending.started',
    make: withdrawnOnceStarted(),
    takes: {
      ...taken('pending.started'),
      ...OF_CYCLE,
      'charge.undeliverable': CYCLE_TAKEN_BACK,
      'charge.released': CYCLE_TAKEN_BACK,
      'charge.started': 'pending.started',
    },
  },
  {
    of: 'cycle',
    place: 'pending.paused',
    make: paused,
    takes: {
      ...taken('pending.paused'),
      ...OF_CYCLE,
      'charge.undeliverable': 'pending.paused',
      'charge.withdrawn': CYCLE_TAKEN_BACK,
      'pause.over': 'pending.requested: request 1 round 1',
      'pause.lifted': 'pending.requested: request 1 round 1',
    },
  },
  {
    of: 'cycle',
    place: 'pulled',
    make: made('cycle', 'started', 'mined'),
    takes: { ...taken('pulled'), ...OF_CYCLE, ...AGAIN, 'charge.mined': 'pulled' },
  },
  {
    of: 'one-off',
    place: 'pulled',
    make: made('one-off', 'started', 'mined'),
    takes: { ...taken('pulled'), ...OF_ONE_OFF, ...AGAIN, 'charge.mined': 'pulled' },
  },
  {
    of: 'cycle',
    place: 'pulled',
    make: withdrawnOnceStarted('mined'),
    takes: {
      ...taken('pulled'),
      ...OF_CYCLE,
      'charge.mined': 'pulled',
      'charge.undeliverable': CYCLE_TAKEN_BACK,
      'charge.released': CYCLE_TAKEN_BACK,
    },
  },
  ...(['cycle', 'one-off'] as const).flatMap((of): Case[] => [
    {
      of,
      place: 'settled',
      make: made(of, 'started', 'mined', 'final'),
      takes: {
        ...taken('settled'),
        'charge.reorged': of === 'cycle' ? 'failed: tell charge.reorged 2.1' : 'failed: payment.failed/pull_reverted',
      },
    },
    {
      of,
      place: 'canceled',
      make: canceled(of),
      takes: {
        ...taken('canceled'),
        'charge.final': of === 'cycle' ? OF_CYCLE['charge.final'] : OF_ONE_OFF['charge.final'],
      },
    },
  ]),
  {
    of: 'cycle',
    place: 'failed',
    make: made('cycle', 'refused'),
    takes: {
      ...taken('failed'),
      'charge.opened': 'pending.requested: request 2',
      'charge.opened, forced': 'failed: tell charge.failed/insufficient_balance 2.2',
      'charge.final': OF_CYCLE['charge.final'],
    },
  },
  {
    of: 'one-off',
    place: 'failed',
    make: made('one-off', 'refused'),
    takes: {
      ...taken('failed'),
      'charge.opened': 'pending.requested: request 2',
      'charge.opened, forced': 'failed: payment.failed/insufficient_balance',
      'charge.final': OF_ONE_OFF['charge.final'],
    },
  },
];

describe('a payment with every event in every state', () => {
  it('has a case for each of its states and events', () => {
    expect([...new Set(CASES.map(({ place }) => place))].sort()).toEqual(leavesOf(paymentMachine).sort());
    const types = new Set(Object.values(said(made('cycle')())).map(({ type }) => type));
    expect([...types].sort()).toEqual(paymentEvent.options.map(({ shape }) => shape.type.value).sort());
  });

  describe.each(CASES.map((each, index) => ({ ...each, index })))('a $of, $place (case $index)', (each) => {
    it('is in that state', () => {
      expect(each.make().place).toBe(each.place);
    });

    it.each(Object.keys(said(made('cycle')())))('reaches the state of the table on %s', (name) => {
      const payment = each.make();
      const event = said(payment)[name];
      expect(event && payment.outcomeOf(event)).toBe(each.takes[name] ?? null);
    });

    it('waits only for a pause or a deposit, and shows a transaction only while money has moved', () => {
      const events = Object.entries(said(each.make()));
      for (const [name, event] of events.filter(([, one]) => !each.make().refuses(one))) {
        const payment = each.make();
        payment.send(event);
        const { place, context } = payment;
        const waits = place === 'pending.paused' || place === 'pending.awaiting';
        const hasMoved = place === 'pulled' || place === 'settled';
        expect([name, context.wakeAt !== null]).toEqual([name, waits]);
        expect([name, context.block, context.hashes]).toEqual([
          name,
          hasMoved ? BLOCK : null,
          hasMoved ? HASHES : NO_HASHES,
        ]);
      }
    });

    it('accepts facts about another attempt, without a change', () => {
      const payment = each.make();
      for (const attempt of [payment.context.attempt + 1, payment.context.attempt + 7]) {
        const { mined, final, released, refused, reorged, undeliverable } = about(attempt);
        for (const event of [released, mined, final, refused, reorged, undeliverable]) {
          expect(payment.isUnmovedBy(event)).toBe(true);
        }
        expect(payment.refuses(about(attempt).started)).toBe(true);
      }
    });
  });
});
