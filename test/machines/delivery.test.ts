import { deliveryEvent } from '../../machines/delivery/events.ts';
import { begunDelivery, deliveryMachine } from '../../machines/delivery.ts';
import type { EventOf } from './support/actor.ts';
import { DUE, ended, START, TestDelivery, TURN } from './support/delivery.ts';
import { describeStateTable } from './support/state-table.ts';

/** All events about the present attempt. */
function events({ context }: TestDelivery): Record<string, EventOf<'delivery'>> {
  const attempt = Math.max(1, context.attempt);
  return {
    'turn.came': TURN,
    'delivery.due': DUE,
    'attempt.ended, delivered': ended(attempt, 'delivered'),
    'attempt.ended, failed': ended(attempt, 'failed'),
    'attempt.ended, no endpoint': ended(attempt, 'no_endpoint'),
    'attempt.ended, another one': ended(attempt + 1, 'delivered'),
    'redelivery.requested': { type: 'redelivery.requested' },
  };
}

function sending(): TestDelivery {
  const delivery = new TestDelivery();
  delivery.send(TURN);
  return delivery;
}

function over(outcome: 'delivered' | 'no_endpoint'): TestDelivery {
  const delivery = sending();
  delivery.send(ended(1, outcome));
  return delivery;
}

/** At the time for which it waits. */
function due(delivery: TestDelivery): TestDelivery {
  return delivery.at(delivery.context.wakeAt);
}

function sixth(): TestDelivery {
  const delivery = due(new TestDelivery().failsTimes(5));
  delivery.send(DUE);
  return delivery;
}

describeStateTable({
  kind: 'delivery',
  machine: deliveryMachine,
  eventTypes: deliveryEvent.options,
  events,
  cases: {
    queued: () => due(new TestDelivery()),
    'sending, the first attempt': () => due(sending()),
    'sending, the sixth attempt': () => due(sixth()),
    retrying: () => due(new TestDelivery().failsTimes(1)),
    delivered: () => over('delivered'),
    no_endpoint: () => over('no_endpoint'),
    failed: () => new TestDelivery().failsTimes(6),
  },
});

describe('a delivery', () => {
  it('waits for its turn, and checks for it at growing intervals if nobody reports it', () => {
    const delivery = new TestDelivery();
    expect(delivery.context).toMatchObject({ attempt: 0, attempts: [] });
    expect(delivery.refuses(DUE)).toBe(true);
    const seconds: number[] = [];
    for (let check = 0; check < 8; check += 1) {
      seconds.push((Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)) / 1_000);
      delivery.at(delivery.context.wakeAt).send(DUE);
    }
    expect(seconds).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    delivery.send(TURN);
    expect(delivery.context.attempt).toBe(1);
  });

  it('may begin at once: with its first attempt, and a lease on it', () => {
    const { status, ...context } = begunDelivery(START);
    expect(status).toBe('sending');
    expect(context).toEqual({ ...sending().context, looks: 0 });
  });

  it('is not tried before its time', () => {
    const delivery = new TestDelivery().failsTimes(1);
    delivery.at('2026-01-31T10:00:59.999Z');
    expect(delivery.refuses(DUE)).toBe(true);
    expect(delivery.at('2026-01-31T10:01:00.000Z').refuses(DUE)).toBe(false);
  });

  it('is sent again as the same attempt if its sender has been silent for 30 seconds', () => {
    const delivery = sending().at('2026-01-31T10:00:29.999Z');
    expect(delivery.refuses(DUE)).toBe(true);
    delivery.at('2026-01-31T10:00:30.000Z').send(DUE);
    expect(delivery.context).toMatchObject({ attempt: 1, attempts: [], wakeAt: '2026-01-31T10:01:00.000Z' });
  });

  it('accepts the end of an attempt once, from whichever sender', () => {
    const delivery = sending();
    delivery.send(ended(1, 'failed'));
    expect(delivery.refuses(ended(1, 'delivered'))).toBe(true);
    delivery.at(delivery.context.wakeAt).send(DUE);
    expect(delivery.refuses(ended(1, 'delivered'))).toBe(true);
    expect(delivery.context.attempts).toHaveLength(1);
  });
});

const AGAIN = { type: 'redelivery.requested' } as const;

it.each([
  ['a delivery', () => new TestDelivery(), TURN, 0],
  ['a redelivery of one that is delivered', () => over('delivered'), AGAIN, 1],
  ['a redelivery of one that is failed', () => new TestDelivery().failsTimes(6), AGAIN, 6],
  ['a redelivery of one that is no_endpoint', () => over('no_endpoint'), AGAIN, 1],
])('%s is tried six times, on a schedule that counts from the end of the attempt before', (_, make, begins, before) => {
  const delivery = make();
  delivery.send(begins);
  const minutes: number[] = [];
  for (let attempt = before + 1; attempt < before + 6; attempt += 1) {
    expect([delivery.stateName, delivery.context.attempt]).toEqual(['sending', attempt]);
    delivery.at(new Date(Date.parse(delivery.now) + 15_000).toISOString()).send(ended(attempt, 'failed'));
    minutes.push((Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)) / 60_000);
    delivery.at(delivery.context.wakeAt).send(DUE);
  }
  delivery.send(ended(before + 6, 'failed'));
  expect(minutes).toEqual([1, 5, 30, 120, 360]);
  expect(delivery.stateName).toBe('failed');
  expect(delivery.context).toMatchObject({ wakeAt: null, attempt: before + 6 });
  expect(delivery.context.attempts.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: before + 6 }, (_, index) => index + 1),
  );
});

describe('a redelivery', () => {
  it('of one that is being retried is its next attempt, made at once', () => {
    const delivery = new TestDelivery().failsTimes(4);
    delivery.send(AGAIN);
    expect(delivery.context.attempt).toBe(5);
    delivery.send(ended(5, 'failed'));
    expect(Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)).toBe(360 * 60_000);
    delivery.send(AGAIN);
    delivery.send(ended(6, 'failed'));
    expect(delivery.stateName).toBe('failed');
  });

  it('keeps the newest thirty attempts, and their numbers continue', () => {
    const delivery = over('delivered');
    for (let attempt = 2; attempt <= 40; attempt += 1) {
      delivery.send(AGAIN);
      delivery.send(ended(attempt, 'delivered'));
    }
    const kept = delivery.context.attempts.map(({ attempt }) => attempt);
    expect(kept).toEqual(Array.from({ length: 30 }, (_, index) => index + 11));
  });
});
