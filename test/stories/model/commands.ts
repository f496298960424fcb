import fc from 'fast-check';
import { DAY_MS, PLAN_NAMES, type PlanName, PRICE } from './plans.ts';
import type { Reference, Status } from './reference.ts';
import { momentOf, surelyPast, type Walk } from './walk.ts';

/** A command for the reference and the real service; afterwards both must agree. */
export type Command = fc.AsyncCommand<Reference, Walk>;

interface Doing {
  readonly name: string;
  /** True if it is possible; commands that the API refuses are possible. */
  readonly can?: (reference: Readonly<Reference>) => boolean;
  /** Runs it. `later`: the service has not finished its consequences. */
  readonly run: (reference: Reference, walk: Walk) => Promise<'done' | 'later'>;
}

const LIVE: readonly (Status | 'none')[] = ['pending', 'active', 'past_due'];

function isLive({ status }: Readonly<Reference>): boolean {
  return LIVE.includes(status);
}

function isThere({ status }: Readonly<Reference>): boolean {
  return status !== 'none';
}

function command({ name, can = isThere, run }: Doing): Command {
  return {
    check: (reference) => can(reference),
    run: async (reference, walk) => {
      if (walk.id !== null) reference.passUntil(walk.clock());
      const later = await run(reference, walk);
      if (walk.id !== null) reference.passUntil(walk.clock());
      await walk.compare(reference, later === 'later');
    },
    toString: () => name,
  };
}

interface Asking extends Pick<Doing, 'name' | 'can'> {
  readonly call: (walk: Walk) => PromiseLike<unknown>;
  /** The reference's answer. */
  readonly answer: (reference: Readonly<Reference>) => number;
  /** The reference's change for the answer 200. */
  readonly takes: (reference: Reference) => void;
  readonly isLater?: boolean;
}

/** A command that some statuses do not allow. */
function asked({ name, call, answer, takes, isLater = false, can = isThere }: Asking): Command {
  return command({
    name,
    can,
    run: async (reference, walk) => {
      const { status } = reference;
      const expected = answer(reference);
      expect([name, status, await walk.answerTo(call(walk))]).toEqual([name, status, expected]);
      if (expected === 200) takes(reference);
      else walk.walker.coverage.refusal(status, name, expected);
      return isLater ? 'later' : 'done';
    },
  });
}

const unlessCanceled = (answer: number) => (reference: Readonly<Reference>) =>
  reference.status === 'canceled' ? answer : 200;

export function create(plan: PlanName): Command {
  return command({
    name: `POST /subscriptions ${plan}`,
    can: (reference) => !isLive(reference),
    run: async (reference, walk) => {
      if (walk.id !== null) await walk.compareReported(reference);
      const { priceId } = walk.onSale(plan);
      const call = walk.merchant.api.subscriptions.create({ priceId, customerId: walk.payer.customerId });
      if (reference.isCustomerDeleted) {
        expect(await walk.answerTo(call)).toBe(404);
        walk.walker.coverage.refusal(reference.status, 'POST /subscriptions', 404);
        return 'done';
      }
      const { id, trialEnd, createdAt } = await call;
      walk.subscribed(plan, id);
      reference.now = Date.parse(createdAt);
      reference.create(plan, momentOf(trialEnd));
      return 'later';
    },
  });
}

/** The payer's act on the chain, without a notice to the service. */
export function approve(tokens: number): Command {
  return onChain(
    `the payer approves ${tokens}`,
    (walk) => walk.payer.approve(`${tokens}.00`),
    (reference) => {
      reference.allowance = tokens;
    },
  );
}

export function topUp(tokens: number): Command {
  return onChain(
    `the payer receives ${tokens}`,
    (walk) => walk.payer.receive(`${tokens}.00`),
    (reference) => {
      reference.balance += tokens;
    },
  );
}

function spend(): Command {
  return onChain(
    'the payer spends everything',
    (walk) => walk.payer.spendEverything(),
    (reference) => {
      reference.balance = 0;
    },
  );
}

function onChain(name: string, act: (walk: Walk) => Promise<void>, takes: (reference: Reference) => void): Command {
  return command({
    name,
    can: () => true,
    run: async (reference, walk) => {
      await act(walk);
      takes(reference);
      reference.checkChain();
      await walk.untilAuthorized(reference);
      return 'later';
    },
  });
}

export function charge(): Command {
  return command({
    name: 'POST /sandbox/charge',
    run: async (reference, walk) => {
      const body = { subscriptionId: walk.subscription };
      if (!isLive(reference)) {
        expect(await walk.answerTo(walk.merchant.api.sandbox.charge(body))).toBe(409);
        walk.walker.coverage.refusal(reference.status, 'charge', 409);
        return 'done';
      }
      const { outcome, reason = null } = await walk.merchant.api.sandbox.charge(body);
      expect([outcome, reason]).toEqual(reference.charge());
      return 'done';
    },
  });
}

/** Advances by so many days; everything due in them happens. */
export function advance(days: number): Command {
  return command({
    name: `POST /sandbox/advance by ${days} days`,
    run: async (reference, walk) => {
      const to = surelyPast(walk.clock(), days * DAY_MS);
      return advanceTo(reference, walk, to, () => reference.passUntil(Date.parse(to)));
    },
  });
}

/** Advances to the next due moment. */
export function advanceToNext(): Command {
  return command({
    name: 'POST /sandbox/advance',
    run: async (reference, walk) => {
      const due = reference.nextDue();
      return advanceTo(reference, walk, undefined, () => reference.passUntil(due ?? reference.now));
    },
  });
}

/** Advances to a millisecond before a due moment, which then comes by itself. */
export function advanceJustBefore(): Command {
  return command({
    name: 'POST /sandbox/advance to just before what is due',
    can: (reference) => (reference.nextDue() ?? 0) > reference.now + 1_000,
    run: async (reference, walk) => {
      const due = reference.nextDue() ?? 0;
      const to = new Date(due - 1).toISOString();
      const { steps, now, complete } = await walk.merchant.api.sandbox.advance({
        subscriptionId: walk.subscription,
        to,
      });
      expect([complete, steps.filter(({ at }) => Date.parse(at) < due)]).toEqual([true, []]);
      walk.clockShows(now);
      reference.passUntil(due);
      return 'later';
    },
  });
}

async function advanceTo(reference: Reference, walk: Walk, to: string | undefined, takes: () => void): Promise<'done'> {
  const { subscription: subscriptionId, merchant } = walk;
  if (!isLive(reference)) {
    expect(await walk.answerTo(merchant.api.sandbox.advance({ subscriptionId, to }))).toBe(409);
    walk.walker.coverage.refusal(reference.status, 'advance', 409);
    return 'done';
  }
  const { complete, now } = await merchant.api.sandbox.advance({ subscriptionId, to });
  expect(complete).toBe(true);
  walk.clockShows(now);
  takes();
  return 'done';
}

/** The sandbox's shortcut to a status. */
export function advanceToStatus(wanted: 'active' | 'past_due' | 'canceled'): Command {
  return command({
    name: `POST /sandbox/advance to ${wanted}`,
    run: async (reference, walk) => {
      const body = { subscriptionId: walk.subscription, status: wanted };
      const { status } = reference;
      const answer = statusReached(reference, wanted);
      const found = await walk.answerTo(
        walk.merchant.api.sandbox.advance(body).then(({ now, complete }) => {
          walk.clockShows(now);
          expect(complete).toBe(true);
        }),
      );
      expect([wanted, status, found]).toEqual([wanted, status, answer]);
      if (answer !== 200) walk.walker.coverage.refusal(status, `advance to ${wanted}`, answer);
      return 'done';
    },
  });
}

function statusReached(reference: Reference, wanted: 'active' | 'past_due' | 'canceled'): number {
  const { status } = reference;
  if (status === 'canceled') return 409;
  if (status === wanted) return 200;
  if (wanted === 'active' || (wanted === 'past_due' && status === 'pending')) {
    if (reference.allowance < PRICE) return 409;
    reference.tryAgain();
    if (reference.status !== 'active') return 409;
  }
  if (wanted !== 'active') reference.failUntil(wanted);
  return 200;
}

/** A time in the past is refused, whatever the status. */
function advanceBack(): Command {
  return command({
    name: 'POST /sandbox/advance to yesterday',
    can: isLive,
    run: async (_, walk) => {
      const to = new Date(walk.clock() - DAY_MS).toISOString();
      expect(await walk.answerTo(walk.merchant.api.sandbox.advance({ subscriptionId: walk.subscription, to }))).toBe(
        400,
      );
      return 'done';
    },
  });
}

export function cancel(): Command {
  return asked({
    name: 'cancel',
    call: ({ merchant, subscription }) => merchant.api.subscriptions.cancel(subscription),
    answer: unlessCanceled(409),
    takes: (reference) => reference.cancel(false),
  });
}

export function cancelAtPeriodEnd(): Command {
  return asked({
    name: 'cancel at period end',
    call: ({ merchant, subscription }) => merchant.api.subscriptions.cancel(subscription, { atPeriodEnd: true }),
    answer: unlessCanceled(409),
    takes: (reference) => reference.cancel(true),
  });
}

export function remove(): Command {
  return asked({
    name: 'DELETE',
    call: ({ merchant, subscription }) => merchant.api.subscriptions.delete(subscription),
    answer: unlessCanceled(409),
    takes: (reference) => reference.cancel(false),
  });
}

export function retry(): Command {
  return asked({
    name: 'retry',
    call: ({ merchant, subscription }) => merchant.api.subscriptions.retry(subscription),
    answer: (reference) => (isLive(reference) && reference.subscribed?.open ? 200 : 409),
    takes: (reference) => reference.tryAgain(),
  });
}

export function resume(): Command {
  return asked({
    name: 'resume',
    call: ({ merchant, subscription }) => merchant.api.subscriptions.resume(subscription),
    answer: ({ status, subscribed }) =>
      status === 'canceled' || (status === 'active' && subscribed?.cancelAt === null) ? 409 : 200,
    takes: (reference) => reference.resume(),
  });
}

/** Nobody ever signs, so the request changes nothing. */
export function migrate(): Command {
  return asked({
    name: 'migrate',
    call: (walk) => walk.merchant.api.subscriptions.migrate(walk.subscription, { priceId: walk.otherPrice() }),
    answer: unlessCanceled(400),
    takes: () => {},
  });
}

export function setVariables(value: number): Command {
  return asked({
    name: `PATCH value ${value}`,
    call: ({ merchant, subscription }) =>
      merchant.api.subscriptions.update(subscription, { customVariables: { value } }),
    answer: () => 200,
    takes: ({ subscribed }) => {
      if (subscribed) subscribed.variables = { value };
    },
  });
}

export function deleteCustomer(): Command {
  return asked({
    name: 'DELETE customer',
    can: () => true,
    call: ({ merchant, payer }) => merchant.api.customers.delete(payer.customerId),
    answer: ({ isCustomerDeleted }) => (isCustomerDeleted ? 404 : 200),
    takes: (reference) => reference.deleteCustomer(),
    isLater: true,
  });
}

/**
 * The beginnings of walks: a subscription to some plan, by a payer with money for ever, for a while, or without any.
 */
export const BEGINNINGS: fc.Arbitrary<readonly Command[]> = fc
  .tuple(fc.constantFrom(...PLAN_NAMES), fc.constantFrom(1_000, 10, 30, 0), fc.constantFrom(1_000, 10, 20, 0))
  .map(([plan, balance, allowance]) => [create(plan), topUp(balance), approve(allowance)]);

/** The steps of walks; those that probably lead on come up more often. */
export const STEPS: fc.Arbitrary<Command>[] = [
  fc.constantFrom(0, 5, 10, 25, 1_000, 1_000).map(approve),
  fc.constantFrom(5, 10, 30, 1_000, 1_000).map(topUp),
  fc.constantFrom(1, 2, 5, 8).map(advance),
  fc.constantFrom(1, 3, 8).map(advance),
  fc.constantFrom(advanceToNext(), advanceJustBefore()),
  fc.constantFrom('active' as const, 'past_due' as const).map(advanceToStatus),
  fc.constantFrom(charge(), charge(), retry(), resume()),
  fc.constantFrom(cancelAtPeriodEnd(), resume()),
  fc.constantFrom(spend(), approve(0), migrate(), setVariables(1), setVariables(2), advanceBack()),
  fc.constantFrom(cancel(), remove(), deleteCustomer(), advanceToStatus('canceled'), ...PLAN_NAMES.map(create)),
];
