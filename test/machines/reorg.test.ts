import { active, CANCEL, charging, DUE, dunned, pastDue, REORGED, RETRY, renewing } from './support/subscription.ts';

describe('a settled cycle that is reorged out', () => {
  it('is unpaid and open again: past due, tried on its days under its own number', () => {
    const made = active().at('2026-02-05T10:00:00.000Z');
    expect(made.send(REORGED)).toEqual([
      'payment.failed/pull_reverted',
      'subscription.past_due',
      'schedule 1 2026-02-06',
      'watch',
    ]);
    expect(made.stateName).toBe('past_due.waiting');
    expect(made.context).toMatchObject({ cyclesCompleted: 0, lastCycle: 1, pastDueSince: '2026-02-05T10:00:00.000Z' });
    expect(made.falls()).toEqual(['open 1.2', 'unwatch']);
    made.settles();
    expect(made.context).toMatchObject({ cyclesCompleted: 1, currentPeriodEnd: REORGED.periodEnd, open: null });
  });

  it('buys the present if it is the last one and its period has passed meanwhile', () => {
    const made = active().at('2026-02-26T10:00:00.000Z').goes(REORGED);
    made.at('2026-03-03T10:00:00.000Z').goes(DUE, 'settles');
    expect(made.context.currentPeriodEnd).toBe('2026-03-31T10:00:00.000Z');
  });

  it('waits while a later one is in flight, which keeps its number and period', () => {
    const made = renewing();
    expect(made.send(REORGED)).toEqual(['payment.failed/pull_reverted']);
    expect(made.stateName).toBe('active.charging');
    expect(made.settles()).toEqual(['payment.succeeded', 'subscription.past_due', 'schedule 1 2026-03-01', 'watch']);
    expect(made.stateName).toBe('past_due.waiting');
    expect(made.context).toMatchObject({
      cyclesCompleted: 1,
      currentPeriodEnd: '2026-03-31T10:00:00.000Z',
      open: { number: 1, attempt: 1, periodStart: REORGED.periodStart, isOverdue: true },
    });
    expect(made.send(RETRY)).toEqual(['open 1.2', 'unwatch']);
    made.settles();
    expect(made.context).toMatchObject({ cyclesCompleted: 2, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
    expect(made.due).toBe('2026-03-31T10:00:00.000Z');
  });

  it('waits behind a later one that is past due', () => {
    const made = pastDue().goes(REORGED);
    expect(made.context).toMatchObject({ open: { number: 2 }, fallenOut: [{ number: 1 }] });
    made.goes(RETRY, 'settles');
    expect(made.context).toMatchObject({ open: { number: 1 }, fallenOut: [] });
    expect(made.stateName).toBe('past_due.waiting');
  });

  it('is reported once: the same facts again change nothing', () => {
    const made = active().goes(REORGED);
    expect(made.send(REORGED)).toEqual([]);
    expect(made.context.cyclesCompleted).toBe(0);
  });

  it('is counted and reported again if it lands again, even if it is the only one and the end came before', () => {
    const made = charging();
    const { attempt } = made;
    made.goes(CANCEL, 'settles', REORGED);
    expect(made.context.cyclesCompleted).toBe(0);
    expect(made.send({ type: 'charge.settled', ...attempt })).toContain('payment.succeeded');
    expect(made.context.cyclesCompleted).toBe(1);
    expect(made.stateName).toBe('canceled.closed');
  });
});

describe('a refused attempt that still lands', () => {
  it('redeems a unit although its reservation was released: in flight or not, and after the end', () => {
    expect(dunned().settles()).toEqual(['payment.succeeded', 'subscription.active', 'count late unit', 'unwatch']);
    const again = dunned().goes(RETRY);
    expect(again.send({ type: 'charge.settled', ...again.attempt, attempt: 1 })).toContain('count unit');
    const over = charging({ terms: { maxFailedCycles: 1 } });
    const { attempt } = over;
    over.fails();
    expect(over.send({ type: 'charge.settled', ...attempt })).toEqual(['payment.succeeded', 'count late unit']);
    expect(over.send({ type: 'charge.settled', ...attempt })).toEqual([]);
  });

  it('pays it even if the next attempt was just opened', () => {
    const made = pastDue().goes(RETRY);
    expect(made.send({ type: 'charge.settled', ...made.attempt, attempt: 1 })).toEqual([
      'payment.succeeded',
      'subscription.recovered',
    ]);
    expect(made.stateName).toBe('active.waiting');
  });

  const WITHDRAWN = { type: 'charge.withdrawn', cycle: 2, attempt: 2, paymentId: 'pay_1' } as const;

  it.each([
    ['its failure has ended the subscription', renewing({ terms: { maxFailedCycles: 1 } }).goes('fails'), 1],
    ['its next attempt was withdrawn at the end', pastDue().goes(RETRY, CANCEL, WITHDRAWN), 2],
  ])('counts once, and revives nothing, if %s', (_, made, attempt) => {
    expect(made.stateName).toBe('canceled.closed');
    const settled = { type: 'charge.settled', cycle: 2, attempt, paymentId: 'pay_1' } as const;
    expect([made.send(settled), made.send(settled)]).toEqual([['payment.succeeded'], []]);
    expect(made.stateName).toBe('canceled.closed');
    expect(made.context.cyclesCompleted).toBe(2);
  });
});
