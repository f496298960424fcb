import type { Advanced, Payment, Subscription, SubscriptionStatusView } from 'tideline/client';
import {
  type Deferral,
  type SubscriptionContext,
  subscriptionContext,
} from '../../../machines/subscription/context.ts';
import { dayOf, eveningOf, morningOf, shifted } from '../../../stage/calendar.ts';
import { until } from '../../../stage/until.ts';
import type { Payer } from './payer.ts';
import type { Shop } from './shop.ts';

/** The facts that a support person would check first. */
export interface Standing {
  /** `cyclesCompleted`. */
  readonly paid?: number;
  /** `consecutiveFailures`. */
  readonly failures?: number;
  /** `currentPeriodEnd`, as a date if it has the time of day of the first period. */
  readonly until?: string | null;
  /** The reason of the last failed charge. */
  readonly because?: Payment['failureReason'];
}

/** An advance of more than 60 steps needs further calls. */
const CALLS_MAX = 10;

/** One subscription: its clock, its API view, its webhooks, and its payments on the chain. */
export class Subscribed {
  readonly id: string;
  readonly payer: Payer;
  readonly #shop: Shop;
  #expected: readonly string[] | null = null;

  constructor(shop: Shop, payer: Payer, id: string) {
    this.#shop = shop;
    this.payer = payer;
    this.id = id;
  }

  /** Advances to the evening of this date, after everything due on it. */
  on(date: string): Promise<Advanced['steps']> {
    return this.at(eveningOf(date));
  }

  /** Advances to nine o'clock: a charge of this morning starts periods that end a little after nine. */
  onTheMorningOf(date: string): Promise<Advanced['steps']> {
    return this.at(morningOf(date));
  }

  /** Advances the sandbox clock of the subscription to this time. Resolves with the steps on the way. */
  async at(moment: string): Promise<Advanced['steps']> {
    const all: Advanced['steps'] = [];
    for (let calls = 0; calls < CALLS_MAX; calls += 1) {
      const { complete, steps } = await this.#shop.api.sandbox.advance({ subscriptionId: this.id, to: moment });
      all.push(...steps);
      if (complete) return all;
    }
    throw new Error(`${this.id} has not reached ${moment}`);
  }

  /** Advances to a millisecond before this time; the rest passes by itself. Throws if anything was due before it. */
  justBefore(moment: string | null | undefined): Promise<void> {
    return this.secondsBefore(0.001, moment);
  }

  /** The same, so many seconds before it. */
  async secondsBefore(seconds: number, moment: string | null | undefined): Promise<void> {
    if (!moment) throw new Error(`${this.id} has no such moment`);
    const steps = await this.at(shifted(moment, -seconds * 1_000));
    expect(steps.filter(({ at }) => at < moment)).toEqual([]);
  }

  view(): Promise<SubscriptionStatusView> {
    return Promise.resolve(this.#shop.api.subscriptions.get(this.id));
  }

  /** Waits until the service has seen that the allowance covers the next charge. */
  async expectAuthorized(): Promise<void> {
    await until(
      'the allowance is confirmed',
      () => this.view(),
      ({ allowanceConfirmed }) => allowanceConfirmed,
    );
  }

  /** Waits until its due charge is deferred for this reason in the store. */
  async expectPutOff(why: Deferral): Promise<void> {
    await until(
      `the charge is put off: ${why}`,
      () => this.#context(),
      ({ deferred }) => deferred?.why === why,
    );
  }

  async #context(): Promise<SubscriptionContext> {
    const [doc] = await this.#shop.town.store.actors.load('subscription', [this.id]);
    return subscriptionContext.parse(doc?.context);
  }

  /** Waits for this status. */
  async expectStatus(status: SubscriptionStatusView['status'], standing: Standing = {}): Promise<void> {
    const expected = { status, ...standing };
    const found = await until(
      'it stands as expected',
      () => this.#standing('until' in standing),
      (each) => Object.entries(expected).every(([name, value]) => Reflect.get(each, name) === value),
      { orLast: true },
    );
    expect(found).toMatchObject(expected);
  }

  async #standing(withDates: boolean): Promise<Standing & { readonly status: string }> {
    const { status, cyclesCompleted, consecutiveFailures, currentPeriodEnd, lastInvoice } = await this.view();
    const [first] = withDates && currentPeriodEnd !== null ? await this.payments() : [];
    return {
      status,
      paid: cyclesCompleted,
      failures: consecutiveFailures,
      until: currentPeriodEnd && dayOf(currentPeriodEnd, first?.periodStart ?? currentPeriodEnd),
      because: lastInvoice?.failureReason ?? null,
    };
  }

  /** The subscription in the API's list, with its terms. */
  async subscription(): Promise<Subscription> {
    const { customerId } = this.payer;
    const { subscriptions } = await this.#shop.api.subscriptions.list({ customerId, limit: 100 });
    const found = subscriptions.find(({ id }) => id === this.id);
    if (!found) throw new Error(`${this.id} is not in the list of its customer's subscriptions`);
    return found;
  }

  /** Its price, and the pricing option that it may move to. */
  async expectTerms(expected: { readonly price: string; readonly pending: string | null }): Promise<void> {
    const { priceAmount, pendingOfferPriceId } = await this.subscription();
    expect({ price: priceAmount, pending: pendingOfferPriceId }).toEqual(expected);
  }

  /** Waits until the service has seen that the allowance covers the terms of the next boundary. */
  async expectMigrationCovered(): Promise<void> {
    await until(
      'the allowance covers the terms to come',
      () => this.#context(),
      ({ migration }) => migration?.covered === true,
    );
  }

  /** Its payments, the oldest first. */
  async payments(): Promise<Payment[]> {
    const payments: Payment[] = [];
    for await (const payment of this.#shop.api.payments.all({ subscriptionId: this.id })) payments.push(payment);
    return payments.reverse();
  }

  /**
   * The period of each cycle, the oldest first, as `2028-01-31 to 2028-02-29`; dates mean the time of day of the first
   * period, to the millisecond. Unsettled ones show their status.
   */
  async periods(): Promise<string[]> {
    const payments = await this.payments();
    const anchor = payments[0]?.periodStart ?? '';
    return payments.map(({ periodStart, periodEnd, status }) => {
      const period = `${dayOf(periodStart ?? '', anchor)} to ${dayOf(periodEnd ?? '', anchor)}`;
      return status === 'settled' ? period : `${period}: ${status}`;
    });
  }

  /** Checks all webhooks about it so far, and that there is no other. */
  async expectEvents(expected: readonly string[]): Promise<void> {
    this.#expected = expected;
    expect(await this.#reported()).toEqual(expected);
  }

  /** The subscription counts its decided events, so this number will certainly arrive. */
  async #reported(): Promise<readonly string[]> {
    const [doc] = await this.#shop.town.store.actors.load('subscription', [this.id]);
    return this.#shop.inbox.reportedOf(this.id, doc?.eventSeq ?? 0);
  }

  /** Throws if more events arrived than the story expects. */
  async checkReported(): Promise<void> {
    if (this.#expected !== null) expect(await this.#reported()).toEqual(this.#expected);
  }
}
