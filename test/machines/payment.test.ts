import { NO_HASHES } from '../../machines/payment/context.ts';
import { inWords } from './support/describe.ts';
import {
  about,
  BLOCK,
  HASHES,
  OTHER_BLOCK,
  PAUSE_LIFTED,
  PAUSE_OVER,
  SCHEDULED,
  TestPayment,
  WITHDRAWN,
} from './support/payment.ts';

function cycle(): TestPayment {
  return new TestPayment({ of: 'cycle' });
}

function oneOff(): TestPayment {
  return new TestPayment({ of: 'one-off' });
}

/** The first attempt was refused, and a second one is requested. */
function twice(): TestPayment {
  return cycle().hears('started', 'refused', about(2).opened);
}

describe('a payment on its way', () => {
  it('keeps the destination of its start, and shows hashes when it is mined', () => {
    const payment = cycle().hears('started');
    expect(payment.context).toMatchObject({ toWallet: '0xpayout', hashes: NO_HASHES });
    payment.hears('mined');
    expect(payment.context).toMatchObject({ hashes: HASHES, block: BLOCK });
  });

  it('of a cycle notifies its subscription and emits no event; a one-off emits its own', () => {
    expect(cycle().hears('started', 'mined', 'final').asked.slice(1)).toEqual([
      {
        type: 'subscription.tell',
        subscriptionId: 'sub_1',
        message: { type: 'charge.pulled', cycle: 2, attempt: 1, paymentId: 'pay_1' },
      },
      {
        type: 'subscription.tell',
        subscriptionId: 'sub_1',
        message: { type: 'charge.settled', cycle: 2, attempt: 1, paymentId: 'pay_1' },
      },
    ]);
    expect(oneOff().hears('started', 'mined', 'final').asked.slice(1)).toEqual([
      { type: 'webhook.emit', event: 'payment.pulled', data: { paymentId: 'pay_1' } },
      { type: 'webhook.emit', event: 'payment.succeeded', data: { paymentId: 'pay_1' } },
    ]);
  });

  it('follows its charge into another block without an event', () => {
    const payment = cycle().hears('started', 'mined');
    expect(payment.send({ ...about(1).mined, block: OTHER_BLOCK })).toEqual([]);
    expect(payment.context.block).toEqual(OTHER_BLOCK);
  });

  it.each(['insufficient_allowance', 'insufficient_balance', 'pull_reverted'] as const)('names %s', (reason) => {
    const payment = oneOff();
    expect(payment.send({ ...about(1).refused, reason })).toEqual([`payment.failed/${reason}`]);
  });

  it.each(['forward_reverted', 'platform_transfer_reverted', 'distribute_reverted'] as const)(
    'names %s, for a one-off only',
    (reason) => {
      const payment = oneOff();
      expect(payment.send({ ...about(1).undeliverable, reason })).toEqual([`payment.failed/${reason}`]);
    },
  );
});

describe('the withdrawal of a cycle', () => {
  it('lets a started charge settle', () => {
    const payment = cycle().hears('started');
    expect(payment.send(WITHDRAWN)).toEqual([]);
    payment.hears('mined', 'final');
    expect(payment.stateName).toBe('settled');
  });

  it('does not change a failed one, which gets no next attempt', () => {
    const payment = cycle().hears('refused', SCHEDULED);
    expect(payment.context.nextAttemptAt).toBe(SCHEDULED.nextAttemptAt);
    expect(payment.send(WITHDRAWN)).toEqual([]);
    expect(payment.stateName).toBe('failed');
    expect(payment.context).toMatchObject({ nextAttemptAt: null, failureReason: 'insufficient_balance' });
  });
});

describe('a charge that was reorged out for good', () => {
  it('of a cycle names the period that is unpaid again, and may be tried again', () => {
    const payment = cycle().hears('started', 'mined', 'final', 'reorged');
    expect(payment.asked.at(-1)).toEqual({
      type: 'subscription.tell',
      subscriptionId: 'sub_1',
      message: {
        type: 'charge.reorged',
        cycle: 2,
        attempt: 1,
        paymentId: 'pay_1',
        periodStart: '2026-01-31T10:00:00.000Z',
        periodEnd: '2026-02-28T10:00:00.000Z',
      },
    });
    expect(payment.send(about(2).opened)).toEqual(['request 2']);
  });

  it.each(['moved', 'final'] as const)(
    'and landed in another transaction stays settled, and names that one: %s',
    (fact) => {
      const payment = oneOff().hears('started', 'mined', 'final');
      const moved = {
        ...about(1)[fact],
        hashes: { ...HASHES, pullTxHash: '0xother' },
        block: { number: 9, hash: '0x9' },
      };
      expect(payment.send(moved)).toEqual([]);
      expect(payment.stateName).toBe('settled');
      expect(payment.context).toMatchObject({ hashes: moved.hashes, block: moved.block, failureReason: null });
    },
  );

  it('and landed elsewhere as an earlier attempt does not concern the one that is settled', () => {
    const payment = twice().hears('started', 'final');
    expect(payment.isUnmovedBy({ ...about(1).moved, block: { number: 9, hash: '0x9' } })).toBe(true);
  });
});

describe('a refused charge that still landed', () => {
  it('is settled, with an event', () => {
    const payment = oneOff().hears('started', 'refused');
    expect(payment.send(about(1).final)).toEqual(['payment.succeeded']);
    expect(payment.stateName).toBe('settled');
    expect(payment.context).toMatchObject({ hashes: HASHES, block: BLOCK, failureReason: null, nextAttemptAt: null });
  });

  it('before the next attempt was opened leaves that one nothing to do', () => {
    const payment = cycle().hears('started', 'refused', SCHEDULED);
    expect(payment.send(about(1).final)).toEqual(['tell charge.settled 2.1']);
    expect(payment.isUnmovedBy(about(2).opened)).toBe(true);
  });

  it('by an earlier attempt counts as the payment, with the wallets that moved', () => {
    const payment = twice().hears(about(2).refused);
    const wallets = { from: '0xfirst', to: '0xthen' };
    expect(payment.send({ ...about(1).final, wallets })).toEqual(['tell charge.settled 2.2']);
    expect(payment.stateName).toBe('settled');
    const moved = { fromWallet: '0xfirst', toWallet: '0xthen', hashes: HASHES, block: BLOCK, failureReason: null };
    expect(payment.context).toMatchObject({ attempt: 2, landedAttempt: 1, ...moved });
    expect(payment.isUnmovedBy(about(3).opened)).toBe(true);
  });

  it.each([
    ['waits for a sender', []],
    ['is being signed', ['started']],
    ['cannot be delivered', ['undeliverable']],
    ['is in a block', ['started', 'mined']],
  ] as const)('settles the payment whose next attempt %s, which ends without an event', (_, words) => {
    const payment = twice().hears(...words);
    expect(payment.isUnmovedBy(about(1).mined)).toBe(true);
    expect(payment.send(about(1).final)).toEqual(['tell charge.settled 2.2']);
    expect(payment.refuses(about(2).started)).toBe(true);
    const { mined, final, released, refused, undeliverable, reorged } = about(2);
    for (const reported of [mined, final, released, refused, undeliverable, reorged, about(1).final]) {
      expect(payment.isUnmovedBy(reported)).toBe(true);
    }
    expect(payment.refuses(PAUSE_OVER)).toBe(true);
  });

  it('is reorged out as the attempt that had landed', () => {
    const payment = twice().hears(about(1).final);
    expect(payment.send(about(1).reorged)).toEqual(['tell charge.reorged 2.2']);
    expect(payment.send(about(3).opened)).toEqual(['request 3']);
    payment.hears('started', 'final');
    expect(payment.isUnmovedBy(about(1).reorged)).toBe(true);
    expect(payment.send(about(3).reorged)).toEqual(['tell charge.reorged 2.3']);
  });

  it('is settled even if its next attempt was withdrawn', () => {
    const payment = twice();
    expect(payment.send(WITHDRAWN)).toEqual(['tell charge.withdrawn 2.2']);
    expect(payment.send(about(1).final)).toEqual(['tell charge.settled 2.2']);
    expect(payment.context).toMatchObject({ hashes: HASHES, landedAttempt: 1 });
  });
});

describe('a charge that is reported mined after its release', () => {
  /** The facts about a document with so many releases. */
  function seen(releases: number) {
    return about(1, 0, releases);
  }

  it('is not pulled; it is pulled after it is signed again', () => {
    const payment = cycle().hears('started', seen(0).mined, seen(0).released);
    expect(payment.isUnmovedBy(seen(0).mined)).toBe(true);
    payment.hears('started');
    expect(payment.isUnmovedBy(seen(0).mined)).toBe(true);
    expect(payment.send(seen(1).mined)).toEqual(['tell charge.pulled 2.1']);
    payment.send(seen(1).released);
    expect(payment.isUnmovedBy(seen(1).mined)).toBe(true);
    expect(payment.stateName).toBe('pending.requested');
  });

  it('is not pulled if it has paused since, but settled if the money still moved', () => {
    const payment = cycle().hears('started', seen(0).mined, about(1).undeliverable);
    expect(payment.isUnmovedBy(seen(0).mined)).toBe(true);
    payment.at(payment.context.wakeAt).send(PAUSE_OVER);
    expect(payment.isUnmovedBy(seen(0).mined)).toBe(true);
    expect(payment.send(about(1).final)).toEqual(['tell charge.settled 2.1']);
  });
});

describe('the next attempt of a cycle', () => {
  it('is the same payment with the attempt counted, in the period of the attempt, from the present wallet', () => {
    const payment = cycle().hears('refused', SCHEDULED);
    expect(payment.send({ ...about(2).opened, fromWallet: '0xnew' })).toEqual(['request 2']);
    expect(payment.context).toMatchObject({
      attempt: 2,
      fromWallet: '0xnew',
      cycleOf: { cycle: 2, periodStart: '2026-02-01T00:00:00.000Z', periodEnd: '2026-03-01T00:00:00.000Z' },
      failureReason: null,
      nextAttemptAt: null,
    });
  });

  it('names itself if it fails too', () => {
    const payment = cycle().hears('refused', about(2).opened);
    expect(payment.send(about(2).refused)).toEqual(['tell charge.failed/insufficient_balance 2.2']);
  });

  it('starts its pauses again', () => {
    const payment = cycle().hears('undeliverable');
    payment.at(payment.context.wakeAt).hears(PAUSE_OVER, 'refused', about(2).opened, 'undeliverable');
    expect(payment.context).toMatchObject({ pauses: 1, wakeAt: '2026-01-31T10:02:00.000Z' });
  });
});

it('waits, and cannot be woken early, until its mandate allows the charge', () => {
  const notBefore = '2026-02-28T10:00:00.000Z';
  const payment = new TestPayment({ of: 'cycle', notBefore });
  expect([payment.asked, payment.stateName]).toEqual([[], 'pending.paused']);
  expect(payment.context).toMatchObject({ attempt: 1, nextAttemptAt: notBefore });
  expect([PAUSE_LIFTED, PAUSE_OVER].map((event) => payment.refuses(event))).toEqual([true, true]);
  expect(payment.at(notBefore).send(PAUSE_OVER)).toEqual(['request 1']);
  expect(payment.context).toMatchObject({ nextAttemptAt: null, wakeAt: null });
});

describe('a cycle whose share cannot be delivered', () => {
  it('stays pending and is requested again after pauses of 1 minute to 6 hours, one resubmission after each', () => {
    const payment = cycle();
    const minutes: number[] = [];
    for (let round = 1; round <= 11; round += 1) {
      expect(payment.send(about(1, round - 1).undeliverable)).toEqual(['tell charge.blocked 2.1']);
      minutes.push((Date.parse(payment.context.wakeAt ?? '') - Date.parse(payment.now)) / 60_000);
      payment.at(payment.context.wakeAt);
      expect(payment.send(PAUSE_OVER)).toEqual([`request 1 round ${round}`]);
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    expect(payment.context).toMatchObject({ attempt: 1, failureReason: null });
  });

  it('shows the reason of its wait until it is started', () => {
    const payment = cycle().hears('undeliverable');
    expect(payment.context.pausedFor).toBe('forward_reverted');
    payment.at(payment.context.wakeAt).hears(PAUSE_OVER, 'started');
    expect(payment.context).toMatchObject({ pausedFor: null, wakeAt: null });
  });

  it('is tried before its pause is over if that is lifted, and only then', () => {
    const payment = cycle();
    expect(payment.refuses(PAUSE_LIFTED)).toBe(true);
    payment.hears('undeliverable');
    expect(payment.send(PAUSE_LIFTED)).toEqual(['request 1 round 1']);
    expect(payment.context).toMatchObject({ wakeAt: null, pausedFor: 'forward_reverted' });
    expect(payment.refuses(PAUSE_LIFTED)).toBe(true);
    payment.hears('undeliverable');
    expect(payment.context).toMatchObject({ pauses: 2 });
  });

  it('is not woken early, nor by repeated facts', () => {
    const payment = cycle().hears('undeliverable');
    expect(payment.refuses(PAUSE_OVER)).toBe(true);
    expect(payment.isUnmovedBy(about(1).undeliverable)).toBe(true);
    expect(payment.isUnmovedBy(about(1, 1).undeliverable)).toBe(true);
  });

  it('accepts from an earlier submission only that its money has moved', () => {
    const payment = cycle().hears('undeliverable');
    payment.at(payment.context.wakeAt).send(PAUSE_OVER);
    const [before, now] = [about(1, 0), about(1, 1)];
    expect(payment.refuses(before.started)).toBe(true);
    payment.send(now.started);
    expect(payment.refuses(before.started)).toBe(true);
    for (const word of ['released', 'refused', 'undeliverable'] as const) {
      expect(payment.isUnmovedBy(before[word])).toBe(true);
      expect(payment.isUnmovedBy(now[word])).toBe(false);
    }
    payment.hears('mined');
    expect(payment.stateName).toBe('pulled');
  });
});

describe('a forced failure', () => {
  it('fails at once, without requesting a charge', () => {
    const payment = new TestPayment({ of: 'cycle', forcedFailure: 'insufficient_balance' });
    expect(payment.stateName).toBe('failed');
    expect(payment.asked.map(inWords)).toEqual(['tell charge.failed/insufficient_balance 2.1']);
  });

  it('affects the requested attempts, and no others', () => {
    const payment = new TestPayment({ of: 'cycle', forcedFailure: 'insufficient_balance' });
    payment.send({ ...about(2).opened, forcedFailure: 'insufficient_allowance' });
    expect(payment.context).toMatchObject({ attempt: 2, failureReason: 'insufficient_allowance' });
    expect(payment.send(about(3).opened)).toEqual(['request 3']);
  });
});
