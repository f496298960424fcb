import { addDays } from '../../machines/rules/period.ts';
import { dueAt, isOnlyCheckDue } from '../../machines/subscription/next-charge.ts';
import { isFree } from '../../machines/subscription/usage.ts';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { EventOf } from '../../machines/versions.ts';
import { atRest, outOfFlight } from '../billing/actors/at-rest.ts';
import { outcomeDeadline } from '../billing/actors/outcome.ts';
import { requireTaken } from '../billing/actors/refusals.ts';
import { pauseOf } from '../billing/subscriptions/pause.ts';
import { readinessOf, usedBy } from '../billing/subscriptions/readiness.ts';
import { requireSubscription } from '../billing/subscriptions/subscriptions.ts';
import { journalOf } from '../engine/journal.ts';
import { actorTime } from '../engine/projection.ts';
import { conflict, invalid } from '../errors/fault.ts';
import {
  isInFlight,
  type SubscriptionStatus,
  subscriptionContextOf,
  subscriptionStatusOf,
} from '../model/subscription.ts';
import { wouldTake } from '../model/would-take.ts';
import type { ActorDoc, StoredActor, Tenant } from '../store/documents.ts';
import { CLOCK_END, isUnreachable, requireReachable } from './bounds.ts';
import type { SandboxDeps } from './charge.ts';
import { type AdvanceStep, stepsOf } from './steps.ts';

/** The target of a subscription's sandbox clock; all null: the next due moment (docs/rules.md, "Sandbox"). */
export interface AdvanceInput {
  readonly subscriptionId: string;
  readonly to: Date | null;
  readonly days: number | null;
  readonly status: 'active' | 'past_due' | 'canceled' | null;
}

export interface AdvanceResult {
  readonly subscriptionId: string;
  readonly now: string;
  readonly complete: boolean;
  readonly steps: AdvanceStep[];
  readonly status: SubscriptionStatus;
  readonly currentPeriodEnd: string | null;
}

/** An advance that would take more steps returns `complete: false`, and the caller calls again. */
const STEPS_MAX = 60;

const NOTHING_DUE = 'The next period of this subscription costs nothing; record usage, or let a free period pass first';
const PAUSED = 'Subscription is paused, and nothing falls due; resume it first, or advance it by days';
const NEEDED = { name: 'advance', needs: 'pending, active or past_due' } as const;

/** One call of advance, with its limits. */
interface Run {
  readonly deps: SandboxDeps;
  readonly id: string;
  readonly deadline: number;
  stepsLeft: number;
}

/**
 * Moves the subscription's own clock forward, from one due moment to the next, and lets all due events happen until
 * then (docs/rules.md, "Sandbox"). Throws 400 for a time that has passed or is after the end of all clocks, 409 for a
 * canceled subscription or a moment that cannot be reached, 500 for a subscription in quarantine.
 */
export async function advanceTo(deps: SandboxDeps, tenant: Tenant, input: AdvanceInput): Promise<AdvanceResult> {
  const id = input.subscriptionId;
  const before = await requireSubscription(deps, tenant, id);
  if (before.quarantine !== null) requireTaken({ kind: 'quarantined', doc: before }, NEEDED);
  if (!wouldTake(before, UNFORCED[0], deps.clock())) requireTaken({ kind: 'refused', doc: before }, NEEDED);
  const deadline = outcomeDeadline(deps.engine);
  const run: Run = { deps, id, deadline, stepsLeft: STEPS_MAX };
  const complete = input.status === null ? await byTime(run, before, input) : await byStatus(run, before, input.status);
  return resultOf(deps, before, complete);
}

/**
 * While an attempt is in flight, the next due moment is unknown until it ends. The clock goes on meanwhile, so `to` may
 * have passed by then. A repeated call, as `complete: false` asks for, still counts as in time.
 */
async function byTime(run: Run, seen: ActorDoc, { to, days }: AdvanceInput): Promise<boolean> {
  if (to !== null && to.toISOString() > CLOCK_END) throw invalid(`to must not be after ${CLOCK_END}`);
  const wasInFlight = isInFlight(seen);
  const doc = wasInFlight ? await atRest(run.deps.engine, run.id, run.deadline) : seen;
  if (isInFlight(doc)) return false;
  const now = actorTime(run.deps.clock(), doc.clockOffsetMs);
  const isPast = to !== null && to.toISOString() < now;
  if (isPast && !wasInFlight) throw invalid(`to is in the past: this subscription's clock shows ${now}`);
  await readChain(run);
  const known = await outOfFlight(run.deps.engine, run.id, run.deadline);
  const target = to?.toISOString() ?? (days === null ? nextDue(known) : daysAfter(now, days));
  return target === null || passUntil(run, target);
}

function nextDue(doc: ActorDoc): string | null {
  const due = dueAt(subscriptionContextOf(doc));
  if (due !== null) requireReachable(due);
  return due;
}

function daysAfter(now: string, days: number): string {
  const target = addDays(now, days);
  if (target <= CLOCK_END) return target;
  throw invalid(`days must not lead beyond ${CLOCK_END}: this subscription's clock shows ${now}`);
}

/**
 * Lets all due events happen until `target`, and leaves the clock there. False: steps or time ran out first. An attempt
 * that is deferred for a reason that time does not change is tried once, not at every pause; a scheduled cancel still
 * ends the subscription.
 */
async function passUntil(run: Run, target: string): Promise<boolean> {
  for (let tried = false; ; tried = true) {
    const doc = await outOfFlight(run.deps.engine, run.id, run.deadline);
    if (doc.status === 'canceled') return !isInFlight(doc);
    if (isInFlight(doc)) return false;
    const { wakeAt, deferred, cancelAt } = subscriptionContextOf(doc);
    const due = tried && deferred !== null ? cancelAt : wakeAt;
    if (due === null || due > target) {
      await dispatch(run, clockMoved(run, doc, target));
      return true;
    }
    if (isOver(run)) return false;
    await fallDue(run, doc, due);
  }
}

async function byStatus(run: Run, doc: ActorDoc, wanted: 'active' | 'past_due' | 'canceled'): Promise<boolean> {
  if (doc.status === wanted) return true;
  if (pauseOf(doc, run.deps.clock()) !== null) throw conflict(PAUSED);
  const { used } = await forcedReadiness(run, doc);
  if (isFree(subscriptionContextOf(doc), used)) throw conflict(NOTHING_DUE);
  switch (wanted) {
    case 'active':
      return becomeActive(run, doc);
    case 'past_due': {
      if (doc.status === 'pending' && !(await becomeActive(run, doc))) return false;
      return failUntil(run, (each) => each.status === 'past_due' || each.status === 'canceled');
    }
    case 'canceled':
      return failUntil(run, (each) => each.status === 'canceled');
    default:
      return unknownCase(wanted, 'status');
  }
}

/** One real charge; it needs an allowance and a balance on the chain. */
async function becomeActive(run: Run, doc: ActorDoc): Promise<boolean> {
  await dispatch(run, UNFORCED);
  await run.deps.watcher.check([run.id]);
  const [seen = doc] = await run.deps.store.actors.load('subscription', [run.id]);
  if (!isInFlight(seen) && !subscriptionContextOf(seen).allowanceConfirmed) {
    throw conflict(missingAllowance(run, seen));
  }
  if (!isInFlight(seen)) await ask(run, seen, { at: null, asked: true });
  const ended = await atRest(run.deps.engine, run.id, run.deadline);
  if (isInFlight(ended)) return false;
  if (ended.status !== 'active')
    throw conflict(`Subscription is ${ended.status}; its charge did not settle: check lastInvoice`);
  return true;
}

function missingAllowance({ deps }: Run, doc: ActorDoc): string {
  const charge = deps.watcher.chainChargeOf(doc);
  if (!charge) return 'Subscription cannot become active: no payer wallet is linked, or its chain is not enabled';
  return `Subscription cannot become active: ${charge.wallet} has not allowed ${charge.operator} to take ${charge.amount} base units of ${charge.token}`;
}

/** Charges fail with `insufficient_balance`, without the chain, one due moment after the other. */
async function failUntil(run: Run, isReached: (doc: ActorDoc) => boolean): Promise<boolean> {
  await dispatch(run, [{ type: 'failure.forced', reason: 'insufficient_balance' }]);
  for (;;) {
    const doc = await atRest(run.deps.engine, run.id, run.deadline);
    if (isReached(doc)) {
      if (doc.status !== 'canceled') await dispatch(run, UNFORCED);
      return !isInFlight(doc);
    }
    if (isInFlight(doc) || isOver(run)) return false;
    const due = subscriptionContextOf(doc).wakeAt;
    if (due === null) {
      run.stepsLeft -= 1;
      await ask(run, doc, { at: null, asked: true });
    } else {
      if (isUnreachable(due)) await dispatch(run, UNFORCED);
      requireReachable(due);
      await fallDue(run, doc, due);
    }
  }
}

/** Removes the forced failure: it does not outlast the call. */
const UNFORCED = [{ type: 'failure.forced', reason: null }] as const;

function isOver({ deps, stepsLeft, deadline }: Run): boolean {
  return stepsLeft <= 0 || deps.engine.elapsed() >= deadline;
}

/** Moves to the due moment. A check before a charge is no step. */
async function fallDue(run: Run, doc: ActorDoc, due: string): Promise<void> {
  if (isOnlyCheckDue(subscriptionContextOf(doc), due)) {
    await checkAhead(run, doc, due);
    return;
  }
  run.stepsLeft -= 1;
  await ask(run, doc, { at: due, asked: false });
}

/** Reports the result of the check before the clock moves on. */
async function checkAhead(run: Run, doc: ActorDoc, at: string): Promise<void> {
  await dispatch(run, [...clockMoved(run, doc, at), { type: 'risk.due' }]);
  await readChain(run);
}

/** Reports what the chain shows up to its present block. If it does not answer, the clock still moves on. */
async function readChain({ deps: { watcher, log }, id }: Run): Promise<void> {
  try {
    await watcher.check([id]);
  } catch (error) {
    log.warn(
      { err: error, actor: id },
      'the chain did not answer before a sandbox charge; the subscription’s clock moves on without it',
    );
  }
}

/**
 * Moves the clock to `at`, unless that is null, and sends `cycle.due`: one write, unless another writer comes between.
 * A `cycle.due` from somebody else serves as well.
 */
async function ask(
  run: Run,
  doc: ActorDoc,
  { at, asked }: { readonly at: string | null; readonly asked: boolean },
): Promise<void> {
  const forced = subscriptionContextOf(doc).forcedFailure !== null;
  const [charge] = forced ? [await forcedReadiness(run, doc)] : await readinessOf(run.deps, [doc]);
  const moved = at === null ? [] : clockMoved(run, doc, at);
  await dispatch(run, [...moved, ...(charge ? [{ type: 'cycle.due', asked, charge } as const] : [])]);
}

/** A forced failure needs nothing to be ready, and the use is charged all the same. */
async function forcedReadiness({ deps }: Run, doc: ActorDoc) {
  const used = (await usedBy(deps.store, [doc])).get(doc._id);
  return { ready: true, ...(used === undefined ? {} : { used }) } as const;
}

/** The clock only moves forward; a moment in its past leaves it unchanged. */
function clockMoved({ deps }: Run, doc: ActorDoc, to: string): EventOf<'subscription'>[] {
  const clockOffsetMs = Date.parse(to) - deps.clock().getTime();
  return clockOffsetMs <= doc.clockOffsetMs ? [] : [{ type: 'clock.moved', clockOffsetMs }];
}

/**
 * A refused event is no longer needed. An actor in quarantine accepts nothing and would stay due forever, so that
 * throws.
 */
async function dispatch({ deps, id }: Run, events: readonly EventOf<'subscription'>[]): Promise<void> {
  const results = await deps.engine.dispatchMany(
    events.map((event) => ({ kind: 'subscription', id, event, by: 'sandbox' })),
  );
  const aside = results.find(({ kind }) => kind === 'quarantined');
  if (aside) requireTaken(aside, NEEDED);
}

async function resultOf(deps: SandboxDeps, before: StoredActor, complete: boolean): Promise<AdvanceResult> {
  await deps.engine.completed(before._id);
  const [after = before] = await deps.store.actors.load('subscription', [before._id]);
  const rows = (await journalOf(deps.store, after)).filter(({ rev }) => rev > before.rev);
  return {
    subscriptionId: after._id,
    now: actorTime(deps.clock(), after.clockOffsetMs),
    complete,
    steps: stepsOf(rows),
    status: subscriptionStatusOf(after),
    currentPeriodEnd: subscriptionContextOf(after).currentPeriodEnd,
  };
}
