import type { Coverage } from './coverage.ts';
import { boundary, DAY_MS, type PlanName, PRICE, planOf } from './plans.ts';

/**
 * Days after the first failure on which an open cycle is tried again; the failure of the last ends the subscription.
 */
const DUNNING = [1, 3, 5, 7];

/** How far the times of the reference may differ from the service's before `learn`. */
export const TOLERANCE_MS = 600_000;

type Variables = { readonly [name: string]: string | number | boolean };

export type Status = 'pending' | 'active' | 'past_due' | 'canceled';

/** The cause of a transition, in the words of section 3 of the reference and of docs/rules.md, "Subscriptions". */
export type Trigger =
  | 'POST /subscriptions'
  | 'charge settles'
  | 'charge fails'
  | 'cancel'
  | 'cancelAt'
  | 'customer deleted'
  | 'max_cycles_reached'
  | 'max_failed_cycles_reached'
  | 'grace_expired';

/** A cycle whose attempt has failed. */
interface OpenCycle {
  /** The time of its first failed attempt; exact when the service has named the next day. */
  since: number;
  /** The time of its newest attempt, equally exact. */
  openedAt: number;
  readonly index: number;
  /** True if a check of the chain can show that it would succeed: allowance or balance were really short. */
  readonly isWatched: boolean;
}

interface StagedSubscription {
  readonly plan: PlanName;
  status: Status;
  authorizedAt: number | null;
  readonly trialEnd: number | null;
  anchor: number | null;
  isAnchorKnown: boolean;
  index: number;
  periodEnd: number | null;
  cancelAt: number | null;
  open: OpenCycle | null;
  paid: number;
  failures: number;
  variables: Variables;
  readonly reported: string[];
}

/** The fields of a subscription that are compared with the API's answer. Times are milliseconds. */
export interface Seen {
  readonly status: Status;
  readonly paid: number;
  readonly failures: number;
  readonly periodEnd: number | null;
  readonly cancelAt: number | null;
  readonly variables: Variables;
}

/**
 * A subscription by section 3 of the reference and docs/rules.md, "Subscriptions", written without the machine: no
 * nested states, no jobs, and a chain of only two numbers. Its times are milliseconds of the subscription's clock.
 */
export class Reference {
  allowance = 0;
  balance = 0;
  /** The subscription's clock. */
  now: number;
  isCustomerDeleted = false;
  subscribed: StagedSubscription | null = null;
  readonly #coverage: Coverage;

  constructor(coverage: Coverage, now: number) {
    this.#coverage = coverage;
    this.now = now;
  }

  get status(): Status | 'none' {
    return this.subscribed?.status ?? 'none';
  }

  seen(): Seen | null {
    if (!this.subscribed) return null;
    const { status, paid, failures, periodEnd, cancelAt, variables } = this.subscribed;
    return { status, paid, failures, periodEnd, cancelAt, variables };
  }

  /**
   * Accepts exact times of the service: the start of the first period, and the next attempt of a failed cycle. Throws
   * if they differ from the reference by more than the delay of a machine.
   */
  learn(facts: { readonly firstPeriodStart: number | null; readonly nextAttemptAt: number | null }): void {
    const it = this.subscribed;
    if (!it) return;
    if (it.anchor !== null && facts.firstPeriodStart !== null && !it.isAnchorKnown) {
      it.isAnchorKnown = true;
      it.anchor += differenceOf('the first period', it.anchor, facts.firstPeriodStart);
      it.periodEnd = boundary(planOf(it.plan).every, it.anchor, it.index + 1);
    }
    const due = it.open && nextDay(it.open);
    if (it.open && due !== null && facts.nextAttemptAt !== null) {
      const late = differenceOf('the next attempt', due, facts.nextAttemptAt);
      it.open.since += late;
      it.open.openedAt += late;
    }
  }

  create(plan: PlanName, trialEnd: number | null): void {
    this.subscribed = {
      plan,
      status: 'pending',
      authorizedAt: null,
      trialEnd,
      anchor: null,
      isAnchorKnown: false,
      index: 0,
      periodEnd: trialEnd,
      cancelAt: null,
      open: null,
      paid: 0,
      failures: 0,
      variables: {},
      reported: ['subscription.created'],
    };
    this.#coverage.transition('none', 'POST /subscriptions', 'pending');
    this.checkChain();
  }

  /** Applies a change of the chain to those who wait for it. */
  checkChain(): void {
    const it = this.subscribed;
    if (!it || it.status === 'canceled') return;
    if (it.status === 'pending' && it.open === null && it.authorizedAt === null && this.allowance >= PRICE) {
      it.authorizedAt = this.now;
    }
    if (it.open?.isWatched && this.#isPayable()) this.#attempt(it, { asked: false });
    this.passUntil(this.now);
  }

  /** Everything that is due until then happens. */
  passUntil(moment: number): void {
    for (;;) {
      const due = this.nextDue();
      if (due === null || due > moment) break;
      this.now = Math.max(this.now, due);
      this.#fallDue();
    }
    this.now = Math.max(this.now, moment);
  }

  /** Null: nothing is due by itself. */
  nextDue(): number | null {
    const it = this.subscribed;
    if (!it || it.status === 'canceled') return null;
    const dues = [it.cancelAt, this.#chargeDue(it)].filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  #chargeDue(it: StagedSubscription): number | null {
    const { open, anchor, periodEnd, authorizedAt, trialEnd } = it;
    if (open !== null) return nextDay(open);
    if (anchor !== null) return periodEnd;
    return authorizedAt === null ? null : Math.max(authorizedAt, trialEnd ?? 0);
  }

  #fallDue(): void {
    const it = this.subscribed;
    if (!it) return;
    if (it.cancelAt !== null && it.cancelAt <= this.now) this.#end(it, 'cancelAt');
    else if (it.open === null && this.#hasAllCycles(it)) this.#end(it, 'max_cycles_reached');
    else this.#attempt(it, { asked: false });
  }

  #hasAllCycles({ plan, paid, anchor }: StagedSubscription): boolean {
    const { maxCycles } = planOf(plan);
    return anchor !== null && maxCycles !== undefined && paid >= maxCycles;
  }

  /** POST /sandbox/charge → its outcome and reason. */
  charge(): readonly [outcome: string, reason: string | null] {
    const it = this.#live();
    if (it.authorizedAt === null) return ['skipped', 'not_authorized'];
    if (it.open === null && this.#hasAllCycles(it)) {
      this.#end(it, 'max_cycles_reached');
      return ['canceled', 'max_cycles_reached'];
    }
    const failure = this.#attempt(it, { asked: true });
    if (failure === null) return ['settled', null];
    return [this.status === 'canceled' ? 'canceled' : 'failed', failure];
  }

  /** One attempt of the open cycle, for a retry or a resume. */
  tryAgain(): void {
    this.#attempt(this.#live(), { asked: true });
  }

  /** Forced by the sandbox: attempts fail, one due moment after the other, until it has this status or is canceled. */
  failUntil(status: 'past_due' | 'canceled'): void {
    for (;;) {
      const it = this.#live();
      if (it.status === status) return;
      const due = this.nextDue();
      if (due !== null) this.now = Math.max(this.now, due);
      if (it.cancelAt !== null && it.cancelAt <= this.now) this.#end(it, 'cancelAt');
      else if (it.open === null && this.#hasAllCycles(it)) this.#end(it, 'max_cycles_reached');
      else this.#attempt(it, { asked: due === null, forced: true });
      if (this.status === 'canceled') return;
    }
  }

  cancel(atPeriodEnd: boolean): void {
    const it = this.#live();
    if (atPeriodEnd && it.periodEnd !== null && it.periodEnd > this.now) it.cancelAt = it.periodEnd;
    else this.#end(it, 'cancel');
  }

  resume(): void {
    const it = this.#live();
    it.cancelAt = null;
    if (it.open !== null && this.#isPayable()) this.tryAgain();
  }

  deleteCustomer(): void {
    this.isCustomerDeleted = true;
    if (this.subscribed && this.status !== 'canceled') this.#end(this.subscribed, 'customer deleted');
  }

  #live(): StagedSubscription {
    if (!this.subscribed || this.status === 'canceled')
      throw new Error(`this needs a live subscription: ${this.status}`);
    return this.subscribed;
  }

  #isPayable(): boolean {
    return this.allowance >= PRICE && this.balance >= PRICE;
  }

  /** One attempt now. Returns the reason of its failure; null: it succeeded. */
  #attempt(it: StagedSubscription, { asked, forced = false }: { asked: boolean; forced?: boolean }): string | null {
    if (!forced && this.#isPayable()) {
      this.#settle(it, asked);
      return null;
    }
    const reason = forced || this.allowance >= PRICE ? 'insufficient_balance' : 'insufficient_allowance';
    this.#fail(it, reason, forced);
    return reason;
  }

  #settle(it: StagedSubscription, asked: boolean): void {
    const { status } = it;
    const { index, anchor } = this.#periodOf(it, asked);
    this.allowance -= PRICE;
    this.balance -= PRICE;
    const periodEnd = boundary(planOf(it.plan).every, anchor, index + 1);
    Object.assign(it, { status: 'active', anchor, index, periodEnd, open: null, failures: 0, paid: it.paid + 1 });
    it.reported.push('payment.succeeded', ...(status === 'pending' ? ['subscription.active'] : []));
    this.#coverage.transition(status, 'charge settles', 'active');
  }

  /** The period of an attempt now: the next one, or, if that has passed, the one that contains now. */
  #periodOf(it: StagedSubscription, asked: boolean): { readonly index: number; readonly anchor: number } {
    const { every } = planOf(it.plan);
    const anchor = it.anchor ?? this.#anchorNow(it, asked);
    let index = it.anchor === null ? 0 : (it.open?.index ?? it.index + 1);
    while (boundary(every, anchor, index + 1) <= this.now) index += 1;
    return { index, anchor };
  }

  /** The end of the trial, if this is the attempt at that time. */
  #anchorNow({ trialEnd, authorizedAt, open }: StagedSubscription, asked: boolean): number {
    const isOfTrialEnd = trialEnd !== null && authorizedAt !== null && authorizedAt <= trialEnd && open === null;
    return isOfTrialEnd && !asked ? trialEnd : this.now;
  }

  #fail(it: StagedSubscription, reason: string, forced: boolean): void {
    const { maxFailedCycles = Number.POSITIVE_INFINITY } = planOf(it.plan);
    const { status, open } = it;
    const since = open?.since ?? this.now;
    const index = open?.index ?? (it.anchor === null ? 0 : it.index + 1);
    it.open = { since, openedAt: this.now, index, isWatched: !forced };
    it.failures += 1;
    it.reported.push(`payment.failed: ${reason}`);
    if (it.failures >= maxFailedCycles) {
      this.#end(it, 'max_failed_cycles_reached');
    } else if (nextDay(it.open) === null) {
      this.#end(it, 'grace_expired');
    } else {
      it.status = status === 'pending' ? 'pending' : 'past_due';
      this.#coverage.transition(status, 'charge fails', it.status);
    }
  }

  #end(it: StagedSubscription, trigger: Trigger): void {
    const reasons: { readonly [name: string]: string } = {
      max_cycles_reached: ': max_cycles_reached',
      max_failed_cycles_reached: ': max_failed_cycles_reached',
      grace_expired: ': max_failed_cycles_reached',
    };
    this.#coverage.transition(it.status, trigger, 'canceled');
    it.status = 'canceled';
    it.reported.push(`subscription.canceled${reasons[trigger] ?? ''}`);
  }
}

function differenceOf(what: string, expected: number, found: number): number {
  const difference = found - expected;
  if (Math.abs(difference) < TOLERANCE_MS) return difference;
  throw new Error(`${what} is at ${new Date(found).toISOString()}; expected ${new Date(expected).toISOString()}`);
}

/** An attempt is a little later than its day; one that was opened on a day counts for that day. */
function nextDay({ since, openedAt }: OpenCycle): number | null {
  return DUNNING.map((day) => since + day * DAY_MS).find((at) => at > openedAt) ?? null;
}
