import { type Payment, type Subscription, TidelineError } from 'tideline/client';
import type { Merchant } from '../../../stage/merchant.ts';
import type { Payer } from '../../../stage/payer.ts';
import type { OnSale } from '../../../stage/seller.ts';
import { until } from '../../../stage/until.ts';
import type { Coverage } from './coverage.ts';
import { PLAN_NAMES, type PlanName, planOf } from './plans.ts';
import { type Reference, type Seen, TOLERANCE_MS } from './reference.ts';

/** The setup of one walker: a merchant with an offer of each plan, and a second price of each for migrations. */
export interface Walker {
  readonly merchant: Merchant;
  readonly offers: ReadonlyMap<PlanName, { readonly onSale: OnSale; readonly other: OnSale }>;
  readonly coverage: Coverage;
}

export async function openWalker(merchant: Merchant, coverage: Coverage): Promise<Walker> {
  const offers = await Promise.all(
    PLAN_NAMES.map(async (name) => {
      const onSale = await merchant.createOffer(planOf(name));
      return [name, { onSale, other: await merchant.addPrice(onSale, { price: '20.00', every: 'month' }) }] as const;
    }),
  );
  return { merchant, offers: new Map(offers), coverage };
}

/** One walk through the real service, with its own customer and subscription. */
export class Walk {
  readonly walker: Walker;
  readonly payer: Payer;
  id: string | null = null;
  #plan: PlanName = 'daily';
  /** How far the subscription's clock is ahead of the service's, by the answers so far. */
  #aheadMs = 0;
  #isAuthorized = false;

  private constructor(walker: Walker, payer: Payer) {
    this.walker = walker;
    this.payer = payer;
  }

  static async begin(walker: Walker): Promise<Walk> {
    return new Walk(walker, await walker.merchant.createPayer({ has: '0' }));
  }

  get merchant(): Merchant {
    return this.walker.merchant;
  }

  /** The subscription's id, for commands that need one. */
  get subscription(): string {
    if (this.id === null) throw new Error('nothing has been subscribed to');
    return this.id;
  }

  /** The subscription's clock, milliseconds. */
  clock(): number {
    return this.merchant.stage.now().getTime() + this.#aheadMs;
  }

  clockShows(now: string): void {
    this.#aheadMs = Math.max(this.#aheadMs, Date.parse(now) - this.merchant.stage.now().getTime());
  }

  subscribed(plan: PlanName, id: string): void {
    this.#plan = plan;
    this.id = id;
    this.#aheadMs = 0;
    this.#isAuthorized = false;
  }

  onSale(plan: PlanName): OnSale {
    return this.#offered(plan).onSale;
  }

  /** A price of the same offer that nobody ever accepts. */
  otherPrice(): string {
    return this.#offered(this.#plan).other.priceId;
  }

  #offered(plan: PlanName): { readonly onSale: OnSale; readonly other: OnSale } {
    const found = this.walker.offers.get(plan);
    if (!found) throw new Error(`nothing is sold by the plan ${plan}`);
    return found;
  }

  /** The status of a call: 200 for every success. */
  async answerTo(call: PromiseLike<unknown>): Promise<number> {
    try {
      await call;
      return 200;
    } catch (error) {
      if (error instanceof TidelineError) return error.status;
      throw error;
    }
  }

  /**
   * Compares the API with the reference: at once, or, for late consequences, until they agree. The reference learns
   * times that it could not know to the millisecond; after that they are exact.
   */
  async compare(reference: Reference, isLater: boolean): Promise<void> {
    if (this.id === null) return;
    const expected = reference.seen();
    const isSo = (seen: Seen): boolean =>
      seen.status === expected?.status && seen.paid === expected.paid && seen.failures === expected.failures;
    const found = isLater
      ? await until('it is as the reference says', () => this.#seen(), isSo, { orLast: true })
      : await this.#seen();
    const payments = await this.#payments();
    reference.learn({
      firstPeriodStart: momentOf(payments.findLast(({ status }) => status === 'settled')?.periodStart),
      nextAttemptAt: momentOf(payments[0]?.nextAttemptAt),
    });
    expect(found).toEqual(reference.seen());
    expect(payments.filter(({ status }) => status === 'settled').length).toBe(expected?.paid);
  }

  /** Only `allowanceConfirmed` shows that a trial is authorized. */
  async untilAuthorized({ subscribed }: Reference): Promise<void> {
    if (subscribed?.status !== 'pending' || subscribed.authorizedAt === null || subscribed.open !== null) return;
    const isSeen = async (): Promise<boolean> =>
      (await this.merchant.api.subscriptions.get(this.subscription)).allowanceConfirmed;
    if (!this.#isAuthorized) this.#isAuthorized = await until('the trial is authorized', isSeen, (seen) => seen);
  }

  /** Compares the webhooks with the reference's events, and allows no other. */
  async compareReported(reference: Reference): Promise<void> {
    if (this.id === null) return;
    const { id, merchant } = this;
    const [doc] = await (await merchant.stage.store()).actors.load('subscription', [id]);
    const decided = doc?.eventSeq ?? 0;
    const reported = await until(
      `${decided} events of ${id} have arrived`,
      () => merchant.receiver.eventsOf(id),
      ({ length }) => length >= decided,
    );
    expect(reported).toEqual(reference.subscribed?.reported);
  }

  async #seen(): Promise<Seen> {
    const { subscriptions } = await this.merchant.api.subscriptions.list({
      customerId: this.payer.customerId,
      limit: 100,
    });
    const found = subscriptions.find(({ id }) => id === this.id);
    if (!found) throw new Error(`${this.id} is not in the list of its customer's subscriptions`);
    return seenOf(found);
  }

  /** The newest first. */
  async #payments(): Promise<Payment[]> {
    return (await this.merchant.api.payments.list({ subscriptionId: this.subscription, limit: 100 })).payments;
  }
}

function seenOf(subscription: Subscription): Seen {
  const { status, cyclesCompleted, consecutiveFailures, currentPeriodEnd, cancelAt, customVariables } = subscription;
  return {
    status,
    paid: cyclesCompleted,
    failures: consecutiveFailures,
    periodEnd: momentOf(currentPeriodEnd),
    cancelAt: momentOf(cancelAt),
    variables: customVariables,
  };
}

export function momentOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}

/** A time that is certainly past the due moment, however busy the machine was. */
export function surelyPast(now: number, ms: number): string {
  return new Date(now + ms + TOLERANCE_MS).toISOString();
}
