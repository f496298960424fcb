import { isDeepStrictEqual } from 'node:util';
import type { Advanced, Payment, Subscription, SubscriptionStatusView } from 'tideline/client';
import { dayOf, eveningOf, morningOf, shifted } from './calendar.ts';
import { SILENT } from './narrator.ts';
import type { Seller } from './seller.ts';
import { until } from './until.ts';

/** What a merchant's support would check first. */
export interface Facts {
  /** `cyclesCompleted`. */
  readonly paid?: number;
  /** `consecutiveFailures`. */
  readonly failures?: number;
  /** `currentPeriodEnd`, as a date if it has the time of day of the first period. */
  readonly until?: string | null;
  /** The reason of the last failed charge. */
  readonly because?: Payment['failureReason'];
}

interface Payer {
  readonly name: string;
  readonly customerId: string;
}

/** An advance of more than 60 steps needs further calls. */
const CALLS_MAX = 10;

/** One subscription: its clock, its API view, its webhooks, and its payments on the chain. */
export class StagedSubscription {
  readonly id: string;
  readonly payer: Payer;
  readonly merchant: Seller;
  /** The link at which its payer can sign a mandate; empty if it is authorized already. */
  readonly link: string;
  /** The charges and the status that the narrator has shown. */
  readonly #told = new Set<string>();
  #toldStatus = 'pending';
  /** The time to which its clock was moved. */
  #movedTo: string | undefined;

  constructor(merchant: Seller, payer: Payer, made: Pick<Subscription, 'id' | 'authorizationUrl'>) {
    this.merchant = merchant;
    this.payer = payer;
    this.id = made.id;
    this.link = made.authorizationUrl ?? '';
  }

  /** Advances to the evening of this date, after everything due on it. */
  advanceTo(date: string): Promise<Advanced['steps']> {
    return this.at(eveningOf(date));
  }

  /** Advances to nine o'clock: a charge of this morning starts periods that end a little after nine. */
  advanceToMorning(date: string): Promise<Advanced['steps']> {
    return this.at(morningOf(date));
  }

  /** Advances the sandbox clock of the subscription to this time. Resolves with the steps on the way. */
  async at(moment: string): Promise<Advanced['steps']> {
    this.#movedTo = moment;
    const all: Advanced['steps'] = [];
    for (let calls = 0; calls < CALLS_MAX; calls += 1) {
      const { complete, steps } = await this.merchant.api.sandbox.advance({ subscriptionId: this.id, to: moment });
      all.push(...steps);
      if (complete) return all;
    }
    throw new Error(`${this.id} has not reached ${moment}`);
  }

  /** Advances to a millisecond before this time; the rest passes by itself. Throws if anything was due before it. */
  async justBefore(moment: string | null | undefined): Promise<void> {
    if (!moment) throw new Error(`${this.id} has no such moment`);
    const steps = await this.at(shifted(moment, -1));
    const early = steps.filter(({ at }) => at < moment);
    this.merchant.stage.expect.equal(`Nothing is due before ${moment}`, early, []);
  }

  view(): Promise<SubscriptionStatusView> {
    return Promise.resolve(this.merchant.api.subscriptions.get(this.id));
  }

  /** Waits until the service has seen that the allowance covers the next charge. */
  async expectAuthorized(): Promise<void> {
    await until(
      'the allowance is confirmed',
      () => this.view(),
      ({ allowanceConfirmed }) => allowanceConfirmed,
    );
  }

  /** Waits for this status. */
  async expectStatus(status: SubscriptionStatusView['status'], facts: Facts = {}): Promise<void> {
    const expected = { status, ...facts };
    const found = await until(
      'it stands as expected',
      () => this.#facts('until' in facts),
      (each) => isDeepStrictEqual(among(each, expected), expected),
      { orLast: true },
    );
    this.merchant.stage.expect.equal(
      `${this.payer.name}'s subscription is ${status}`,
      among(found, expected),
      expected,
    );
    await this.#tell(status);
  }

  async #facts(withDates: boolean): Promise<Facts & { readonly status: string }> {
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

  /** Its price, and the pricing option that it may move to. */
  async expectTerms(expected: { readonly price: string; readonly pending: string | null }): Promise<void> {
    const { customerId } = this.payer;
    const { subscriptions } = await this.merchant.api.subscriptions.list({ customerId, limit: 100 });
    const own = subscriptions.find(({ id }) => id === this.id);
    const found = { price: own?.priceAmount, pending: own?.pendingOfferPriceId };
    this.merchant.stage.expect.equal(`${this.payer.name}'s subscription has these terms`, found, expected);
  }

  /** Its payments, the oldest first. */
  async payments(): Promise<Payment[]> {
    return (await this.merchant.payments({ subscriptionId: this.id })).reverse();
  }

  /** Such as `2028-01-31 to 2028-02-29`, oldest first: dates have the first period's time. Unsettled: the status. */
  async expectPeriods(expected: readonly string[]): Promise<void> {
    const payments = await this.payments();
    const anchor = payments[0]?.periodStart ?? '';
    const found = payments.map(({ periodStart, periodEnd, status }) => {
      const period = `${dayOf(periodStart ?? '', anchor)} to ${dayOf(periodEnd ?? '', anchor)}`;
      return status === 'settled' ? period : `${period}: ${status}`;
    });
    this.merchant.stage.expect.equal(`${this.payer.name} pays for these periods`, found, expected);
  }

  /** The merchant cancels it, now or at the end of its period. */
  async cancel(how: { readonly atPeriodEnd?: boolean } = {}): Promise<Subscription> {
    const canceled = await this.merchant.api.subscriptions.cancel(this.id, how);
    this.merchant.stage.narrator.add({ what: 'The merchant cancels', status: canceled.status });
    return canceled;
  }

  /** Checks all webhooks about it so far, and that there is no other. */
  expectEvents(expected: readonly string[]): Promise<void> {
    return this.merchant.expectEvents(this.id, expected);
  }

  /** Shows the charges since the last time, and the status. */
  async #tell(status: string): Promise<void> {
    const { narrator } = this.merchant.stage;
    if (narrator === SILENT) return;
    const payments = await this.payments();
    for (const [index, payment] of payments.entries()) {
      const { id, attempts, status: now, amount, pullTxHash: txHash, periodStart, usage } = payment;
      const key = `${id} ${attempts} ${now}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      const isFirst = attempts <= 1;
      const what = isFirst ? `Charge of cycle ${index + 1}` : `Attempt ${attempts} of cycle ${index + 1}`;
      // Use is charged after its period.
      const at = (isFirst ? (usage?.to ?? periodStart) : this.#movedTo) ?? undefined;
      narrator.add({ ...dated(at), what, status: now, amount, ...(txHash === null ? {} : { txHash }) });
    }
    if (status === this.#toldStatus) return;
    this.#toldStatus = status;
    narrator.add({ ...dated(this.#movedTo), what: `${this.payer.name}'s subscription`, status });
  }
}

function dated(at: string | undefined) {
  return at === undefined ? {} : { at };
}

/** The fields of `found` that `wanted` has. */
function among(found: object, wanted: object): object {
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, Reflect.get(found, name)]));
}
