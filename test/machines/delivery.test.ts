import { deliveryEvent } from '../../machines/delivery/events.ts';
import { deliveryMachine } from '../../machines/delivery.ts';
import type { EventOf } from '../../machines/versions.ts';
import { DUE, ended, START, TestDelivery, TURN } from './support/delivery.ts';
import { leavesOf } from './support/nodes.ts';

/** All events about the present attempt. */
function said({ context }: TestDelivery): Record<string, EventOf<'delivery'>> {
  const attempt = Math.max(1, context.attempt);
  return {
    'actor.created': { type: 'actor.created', input: {} },
    'turn.came': TURN,
    'delivery.due': DUE,
    'attempt.ended, delivered': ended(attempt, 'delivered'),
    'attempt.ended, failed': ended(attempt, 'failed'),
    'attempt.ended, no endpoint': ended(attempt, 'no_endpoint'),
    'attempt.ended, another one': ended(attempt + 1, 'delivered'),
    'redelivery.requested': { type: 'redelivery.requested' },
  };
}

/** Late events, which are accepted without a change unless a case says otherwise. */
function late(place: string) {
  return {
    'turn.came': place,
    'attempt.ended, delivered': place,
    'attempt.ended, failed': place,
    'attempt.ended, no endpoint': place,
    'attempt.ended, another one': place,
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

const SIXTH_ENDED = {
  'attempt.ended, delivered': 'delivered',
  'attempt.ended, failed': 'failed',
  'attempt.ended, no endpoint': 'no_endpoint',
};

/** Each case is at the time for which it waits. */
const CASES: readonly [place: string, make: () => TestDelivery, takes: Readonly<Record<string, string>>][] = [
  [
    'queued',
    () => new TestDelivery(),
    { ...late('queued'), 'actor.created': 'queued', 'turn.came': 'sending: send 1', 'delivery.due': 'queued' },
  ],
  [
    'sending',
    sending,
    {
      ...late('sending'),
      'delivery.due': 'sending: send 1',
      'attempt.ended, delivered': 'delivered',
      'attempt.ended, failed': 'retrying',
      'attempt.ended, no endpoint': 'no_endpoint',
    },
  ],
  [
    'sending',
    () => {
      const delivery = new TestDelivery().failsTimes(5);
      delivery.at(delivery.context.wakeAt).send(DUE);
      return delivery;
    },
    { ...late('sending'), ...SIXTH_ENDED, 'delivery.due': 'sending: send 6' },
  ],
  [
    'retrying',
    () => new TestDelivery().failsTimes(1),
    { ...late('retrying'), 'delivery.due': 'sending: send 2', 'redelivery.requested': 'sending: send 2' },
  ],
  ['delivered', () => over('delivered'), { ...late('delivered'), 'redelivery.requested': 'sending: send 2' }],
  ['no_endpoint', () => over('no_endpoint'), { ...late('no_endpoint'), 'redelivery.requested': 'sending: send 2' }],
  ['failed', () => new TestDelivery().failsTimes(6), { ...late('failed'), 'redelivery.requested': 'sending: send 7' }],
];

describe('a delivery with every event in every state', () => {
  it('has a case for each of its states and events', () => {
    expect([...new Set(CASES.map(([place]) => place))].sort()).toEqual(leavesOf(deliveryMachine).sort());
    const types = new Set(Object.values(said(sending())).map(({ type }) => type));
    expect([...types].sort()).toEqual(deliveryEvent.options.map(({ shape }) => shape.type.value).sort());
  });

  describe.each(CASES)('a delivery in %s', (place, make, takes) => {
    it.each(Object.keys(said(sending())))('reaches the state of the table on %s', (name) => {
      const delivery = make();
      expect(delivery.place).toBe(place);
      if (delivery.context.wakeAt !== null) delivery.at(delivery.context.wakeAt);
      const event = said(delivery)[name];
      expect(event && delivery.outcomeOf(event)).toBe(takes[name] ?? null);
    });
  });
});

describe('a delivery', () => {
  it('waits for its turn, and checks for it at growing intervals if nobody reports it', () => {
    const delivery = new TestDelivery();
    expect(delivery.context).toMatchObject({ attempt: 0, attempts: [] });
    expect(delivery.refuses(DUE)).toBe(true);
    const seconds: number[] = [];
    for (let check = 0; check < 8; check += 1) {
      seconds.push((Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)) / 1_000);
      expect(delivery.at(delivery.context.wakeAt).send(DUE)).toEqual([]);
    }
    expect(seconds).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    expect(delivery.send(TURN)).toEqual(['send 1']);
  });

  it('starts at its creation if its turn has come by then', () => {
    const delivery = new TestDelivery({ inTurn: true });
    expect(delivery.place).toBe('sending');
    expect(delivery.asked).toEqual([{ type: 'webhook.send', attempt: 1 }]);
    expect(delivery.context).toMatchObject({ attempt: 1, attempts: [], wakeAt: '2026-01-31T10:00:30.000Z' });
    delivery.send(ended(1, 'delivered'));
    expect(delivery.place).toBe('delivered');
  });

  it('ends at its creation without effects if no URL was set', () => {
    const delivery = new TestDelivery({ found: ended(1, 'no_endpoint').record });
    expect(delivery.place).toBe('no_endpoint');
    expect(delivery.asked).toEqual([]);
    expect(delivery.context).toMatchObject({ attempt: 1, wakeAt: null, attempts: [{ attempt: 1 }] });
    expect(delivery.send(TURN)).toEqual([]);
    expect(delivery.place).toBe('no_endpoint');
  });

  it('ends at its creation without effects if it had arrived by then', () => {
    const delivery = new TestDelivery({ found: { ...ended(1, 'delivered').record, status: 204 } });
    expect(delivery.place).toBe('delivered');
    expect(delivery.asked).toEqual([]);
    expect(delivery.context).toMatchObject({ attempt: 1, wakeAt: null, attempts: [{ attempt: 1, status: 204 }] });
    delivery.send({ type: 'redelivery.requested' });
    expect(delivery.place).toBe('sending');
    expect(delivery.context.attempt).toBe(2);
  });

  it('is tried six times, at 1, 5, 30, 120 and 360 minutes after the end of the attempt before', () => {
    const delivery = sending();
    const minutes: number[] = [];
    for (let attempt = 1; attempt < 6; attempt += 1) {
      delivery.at(new Date(Date.parse(delivery.now) + 15_000).toISOString()).send(ended(attempt, 'failed'));
      minutes.push((Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)) / 60_000);
      expect(delivery.at(delivery.context.wakeAt).send(DUE)).toEqual([`send ${attempt + 1}`]);
    }
    expect(minutes).toEqual([1, 5, 30, 120, 360]);
    delivery.send(ended(6, 'failed'));
    expect(delivery.place).toBe('failed');
    expect(delivery.context).toMatchObject({ wakeAt: null, attempt: 6 });
    expect(delivery.context.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each([1, 2, 6])('can succeed with attempt %i', (last) => {
    const delivery = new TestDelivery().failsTimes(last - 1);
    delivery.send(last === 1 ? TURN : dueFor(delivery));
    delivery.send(ended(last, 'delivered'));
    expect(delivery.place).toBe('delivered');
    expect(delivery.context.wakeAt).toBeNull();
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
    expect(delivery.at('2026-01-31T10:00:30.000Z').send(DUE)).toEqual(['send 1']);
    expect(delivery.context).toMatchObject({ attempt: 1, attempts: [], wakeAt: '2026-01-31T10:01:00.000Z' });
  });

  it('accepts the end of an attempt once, from whichever sender', () => {
    const delivery = sending();
    delivery.send(ended(1, 'failed'));
    expect(delivery.isUnmovedBy(ended(1, 'delivered'))).toBe(true);
    delivery.at(delivery.context.wakeAt).send(DUE);
    expect(delivery.isUnmovedBy(ended(1, 'delivered'))).toBe(true);
    expect(delivery.context.attempts).toHaveLength(1);
  });

  it('accepts its turn once', () => {
    const delivery = sending();
    expect(delivery.isUnmovedBy(TURN)).toBe(true);
    expect(delivery.now).toBe(START);
  });
});

const AGAIN = { type: 'redelivery.requested' } as const;

describe('a redelivery', () => {
  it.each([
    ['delivered', () => over('delivered'), 1],
    ['failed', () => new TestDelivery().failsTimes(6), 6],
    ['no_endpoint', () => over('no_endpoint'), 1],
  ])('of one that is %s has six new attempts on the same schedule, and starts no other delivery', (_, make, before) => {
    const delivery = make();
    const asked = [...delivery.send(AGAIN)];
    const minutes: number[] = [];
    for (let attempt = before + 1; attempt < before + 6; attempt += 1) {
      asked.push(...delivery.send(ended(attempt, 'failed')));
      minutes.push((Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)) / 60_000);
      asked.push(...delivery.at(delivery.context.wakeAt).send(DUE));
    }
    asked.push(...delivery.send(ended(before + 6, 'failed')));
    expect(minutes).toEqual([1, 5, 30, 120, 360]);
    expect(asked).toEqual([1, 2, 3, 4, 5, 6].map((place) => `send ${before + place}`));
    expect(delivery.place).toBe('failed');
  });

  it('of one that is being retried is its next attempt, made at once', () => {
    const delivery = new TestDelivery().failsTimes(4);
    expect(delivery.send(AGAIN)).toEqual(['send 5']);
    delivery.send(ended(5, 'failed'));
    expect(Date.parse(delivery.context.wakeAt ?? '') - Date.parse(delivery.now)).toBe(360 * 60_000);
    delivery.send(AGAIN);
    delivery.send(ended(6, 'failed'));
    expect(delivery.place).toBe('failed');
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

/** Its retry, at the time for which it waits. */
function dueFor(delivery: TestDelivery): typeof DUE {
  delivery.at(delivery.context.wakeAt);
  return DUE;
}
