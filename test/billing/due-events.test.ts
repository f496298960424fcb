import { dueEventsFor } from '../../src/billing/due/due-events.ts';
import { payoutsFrom } from '../../src/billing/payout/wallets.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { deposited, TestPayment } from '../machines/support/payment.ts';
import { active, newMonthly } from '../machines/support/subscription.ts';
import { actor } from '../store/support/documents.ts';

const NOW = new Date('2026-01-31T10:30:00.000Z');

/** A subscription for which the service has begun so many attempts by itself, a minute apart, the last one just now. */
function begunTimes(attempts: number, clockOffsetMs = 0): ActorDoc {
  const begun = Array.from({ length: attempts }, (_, index) =>
    new Date(NOW.getTime() + clockOffsetMs - index * 60_000).toISOString(),
  ).reverse();
  return actor({ context: { ...newMonthly(), begun }, clockOffsetMs });
}

function eventsFor(survey: Parameters<typeof dueEventsFor>[0]['deposits']['survey'] = async () => new Map()) {
  const store = openMemoryStore();
  const [catalog, chains] = [buildCatalog(), createChains([])];
  const payoutsOf = payoutsFrom(store);
  return dueEventsFor({ store, catalog, chains, payoutsOf, clock: () => NOW, deposits: { survey } });
}

describe('a payment whose deposit has expired', () => {
  it("gets the chain's answer, or the fact that there is none", async () => {
    const { context } = new TestPayment({ of: 'transfer' });
    const paid = actor({ kind: 'payment', context });
    const unknown = actor({ kind: 'payment', context });
    const asked: (readonly string[])[] = [];
    const found = deposited('9900000');
    const eventsOf = eventsFor(async (ids) => {
      asked.push(ids);
      return new Map([[paid._id, found]]);
    });
    expect(await eventsOf([paid, unknown])).toEqual([
      { kind: 'payment', event: { type: 'deposit.expired', found } },
      { kind: 'payment', event: { type: 'deposit.expired', found: null } },
    ]);
    expect(asked).toEqual([[paid._id, unknown._id]]);
  });
});

describe('a subscription whose time has come', () => {
  const eventsOf = eventsFor();
  const charge = { ready: false, why: 'not_enabled' } as const;
  const CYCLE_DUE = { kind: 'subscription', event: { type: 'cycle.due', asked: false, charge } };

  it('gets the event to charge, with every reason against it', async () => {
    expect(await eventsOf([begunTimes(9)])).toEqual([CYCLE_DUE]);
  });

  it('gets the event to check if only that is due, without the lookups of a charge', async () => {
    const made = active();
    made.at(made.context.wakeAt);
    const { context } = made;
    const lookAt = Date.parse(made.now);
    const early = actor({ context, clockOffsetMs: lookAt - NOW.getTime() });
    const due = actor({ context, clockOffsetMs: Date.parse(made.due ?? '') - NOW.getTime() });
    expect(await eventsOf([early, due])).toEqual([{ kind: 'subscription', event: { type: 'risk.due' } }, CYCLE_DUE]);
  });

  it('is not woken an eleventh time within an hour of its own clock', async () => {
    const month = 30 * 86_400_000;
    expect(await eventsOf([begunTimes(10), begunTimes(10, month)])).toEqual([
      { objection: expect.stringContaining('10 attempts within an hour') },
      { objection: expect.stringContaining('10 attempts within an hour') },
    ]);
  });

  it('does not delay others when it is woken too often', async () => {
    const [runaway, other] = await eventsOf([begunTimes(10), begunTimes(0)]);
    expect(runaway).toHaveProperty('objection');
    expect(other).toMatchObject({ kind: 'subscription' });
  });
});
