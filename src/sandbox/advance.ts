import { addDays } from '../../machines/rules/period.ts';
import { dueAt, isOnlyLookDue } from '../../machines/subscription/changes.ts';
import type { EventOf } from '../../machines/versions.ts';
import { outcomeDeadline } from '../billing/outcome.ts';
import { readinessOf } from '../billing/readiness.ts';
import { requireTaken } from '../billing/refusals.ts';
import type { AdvanceInput, AdvanceResult, Tenant } from '../billing/services.ts';
import { requireSubscription } from '../billing/subscriptions/find.ts';
import { atRest, isInFlight } from '../billing/subscriptions/in-flight.ts';
import { contextOf, subscriptionRecord } from '../billing/subscriptions/record.ts';
import { actorTime } from '../engine/projection.ts';
import { conflict, invalid } from '../fault.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { SandboxDeps } from './charge.ts';
import { stepsOf } from './steps.ts';

/** An advance that would take more steps says `complete: false` and is called again. */
const STEPS_MAX = 60;

/** More journal rows than 60 steps, and the looks between them, can write. */
const ROWS_MAX = 2_000;

const NEEDED = { name: 'advance', needs: 'pending, active or past_due' } as const;

/** One call of advance: how far it may go. */
interface Run {
  readonly deps: SandboxDeps;
  readonly id: string;
  readonly deadline: Date;
  stepsLeft: number;
}

/**
 * Moves the subscription's own clock forward, from one due moment to the next, and lets everything happen that would have
 * happened by then (decisions, "Sandbox"). Throws 400 for a time that has passed, 409 for what is canceled or cannot be
 * reached.
 */
export async function advanceTo(deps: SandboxDeps, tenant: Tenant, input: AdvanceInput): Promise<AdvanceResult> {
  const id = input.subscriptionId;
  const before = await requireSubscription(deps, tenant, id);
  if (before.status === 'canceled') requireTaken({ kind: 'refused', doc: before }, NEEDED);
  const deadline = outcomeDeadline(deps.clock);
  const run: Run = { deps, id, deadline, stepsLeft: STEPS_MAX };
  const complete = input.status === null ? await byTime(run, before, input) : await byStatus(run, before, input.status);
  return resultOf(deps, before, complete);
}

/** Where an attempt is under way, what is due next is known only once it has ended. */
async function byTime(run: Run, seen: ActorDoc, { to, days }: AdvanceInput): Promise<boolean> {
  const doc = isInFlight(seen) ? await atRest(run.deps.engine, run.id, run.deadline) : seen;
  if (isInFlight(doc)) return false;
  const now = actorTime(run.deps.clock(), doc.clockOffsetMs);
  if (to !== null && to.toISOString() < now) throw invalid(`to is in the past: this subscription's clock shows ${now}`);
  const target = to?.toISOString() ?? (days === null ? dueAt(contextOf(doc)) : addDays(now, days));
  return target === null || passUntil(run, target);
}

/**
 * Lets everything fall due until `target`, and leaves the clock there. False: steps or time ran out before. What cannot be
 * attempted for a reason that time does not mend is tried once and not at every pause.
 */
async function passUntil(run: Run, target: string): Promise<boolean> {
  for (let tried = false; ; tried = true) {
    const doc = await atRest(run.deps.engine, run.id, run.deadline);
    if (doc.status === 'canceled') return !isInFlight(doc);
    if (isInFlight(doc) || isOver(run)) return false;
    const { wakeAt: due, deferred } = contextOf(doc);
    if (due === null || due > target || (tried && deferred !== null)) {
      await moveClock(run, doc, target);
      return true;
    }
    await fallDue(run, doc, due);
  }
}

async function byStatus(run: Run, doc: ActorDoc, wanted: 'active' | 'past_due' | 'canceled'): Promise<boolean> {
  if (doc.status === wanted) return true;
  switch (wanted) {
    case 'active':
      return becomeActive(run, doc);
    case 'past_due': {
      if (doc.status === 'pending' && !(await becomeActive(run, doc))) return false;
      return failUntil(run, (each) => each.status === 'past_due' || each.status === 'canceled');
    }
    case 'canceled':
      return failUntil(run, (each) => each.status === 'canceled');
    default: {
      const never: never = wanted;
      throw new Error(`unknown status ${String(never)}`);
    }
  }
}

/** One real charge, which needs an allowance and a balance on the chain. */
async function becomeActive(run: Run, doc: ActorDoc): Promise<boolean> {
  await dispatch(run, { type: 'failure.forced', reason: null });
  await run.deps.looker.look([run.id]);
  const [seen = doc] = await run.deps.store.actors.load('subscription', [run.id]);
  if (!isInFlight(seen) && !contextOf(seen).allowanceConfirmed) {
    throw conflict(missingAllowance(run, seen));
  }
  if (!isInFlight(seen)) await ask(run, seen, true);
  const ended = await atRest(run.deps.engine, run.id, run.deadline);
  if (isInFlight(ended)) return false;
  if (ended.status !== 'active')
    throw conflict(`Subscription is ${ended.status}; its charge did not settle: look at lastInvoice`);
  return true;
}

function missingAllowance({ deps }: Run, doc: ActorDoc): string {
  const place = deps.looker.placeOf(doc);
  if (!place) return 'Subscription cannot become active: no payer wallet is linked, or its chain is not enabled';
  return `Subscription cannot become active: ${place.wallet} has not allowed ${place.operator} to take ${place.amount} base units of ${place.token}`;
}

/** Charges fail as for lack of balance, without touching the chain, one due moment after the other. */
async function failUntil(run: Run, isReached: (doc: ActorDoc) => boolean): Promise<boolean> {
  await dispatch(run, { type: 'failure.forced', reason: 'insufficient_balance' });
  for (;;) {
    const doc = await atRest(run.deps.engine, run.id, run.deadline);
    if (isReached(doc)) {
      if (doc.status !== 'canceled') await dispatch(run, { type: 'failure.forced', reason: null });
      return !isInFlight(doc);
    }
    if (isInFlight(doc) || isOver(run)) return false;
    const due = contextOf(doc).wakeAt;
    if (due === null) {
      run.stepsLeft -= 1;
      await ask(run, doc, true);
    } else {
      await fallDue(run, doc, due);
    }
  }
}

function isOver({ deps, stepsLeft, deadline }: Run): boolean {
  return stepsLeft <= 0 || deps.clock() >= deadline;
}

/** Goes to the moment for which it waits. A look before a charge is no step. */
async function fallDue(run: Run, doc: ActorDoc, due: string): Promise<void> {
  if (isOnlyLookDue(contextOf(doc), due)) {
    await moveClock(run, doc, due);
    await lookAhead(run);
    return;
  }
  run.stepsLeft -= 1;
  await ask(run, await moveClock(run, doc, due), false);
}

/** What the look finds is told before the clock moves on; where the chain does not answer, it moves on all the same. */
async function lookAhead(run: Run): Promise<void> {
  const { looker, log } = run.deps;
  await dispatch(run, { type: 'risk.due' });
  try {
    await looker.look([run.id]);
  } catch (error) {
    log.warn({ err: error, actor: run.id }, 'a clock moves on without a look at the chain');
  }
}

/** Says that the time has come. Whoever else said so first is as good. */
async function ask(run: Run, doc: ActorDoc, asked: boolean): Promise<void> {
  const forced = contextOf(doc).forcedFailure !== null;
  const [charge] = forced ? [{ ready: true } as const] : await readinessOf(run.deps, [doc]);
  if (charge) await dispatch(run, { type: 'cycle.due', asked, charge });
}

/** The clock only moves forward: a moment that it has passed leaves it where it is. */
async function moveClock(run: Run, doc: ActorDoc, to: string): Promise<ActorDoc> {
  const clockOffsetMs = Date.parse(to) - run.deps.clock().getTime();
  if (clockOffsetMs <= doc.clockOffsetMs) return doc;
  await dispatch(run, { type: 'clock.moved', clockOffsetMs });
  const [moved = doc] = await run.deps.store.actors.load('subscription', [run.id]);
  return moved;
}

async function dispatch({ deps, id }: Run, event: EventOf<'subscription'>): Promise<void> {
  await deps.engine.dispatch({ kind: 'subscription', id, event, by: 'sandbox' });
}

async function resultOf(deps: SandboxDeps, before: ActorDoc, complete: boolean): Promise<AdvanceResult> {
  await deps.engine.settled(before._id);
  const [after = before] = await deps.store.actors.load('subscription', [before._id]);
  const rows = await deps.store.records.find('journal', {
    where: { actorId: before._id, rev: { gt: before.rev } },
    sort: [['rev', 1]],
    limit: ROWS_MAX,
  });
  const real = deps.clock();
  const { id, status, currentPeriodEnd } = subscriptionRecord(after, real);
  const now = new Date(actorTime(real, after.clockOffsetMs));
  return { subscriptionId: id, now, complete, steps: stepsOf(rows), status, currentPeriodEnd };
}
