import { changeQuantity } from '../../src/billing/subscriptions/quantity.ts';
import { requireSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import type { ActingDeps, Reported } from './merchant.ts';
import { QUANTITIES } from './shop.ts';

/** A quantity that a call has set between two moments. */
interface Setting {
  /** Null: nobody knows for which subscription. */
  readonly subscriptionId: string | null;
  readonly quantity: number;
  readonly from: number;
  /** Infinite: nobody knows whether the call has set it, or when it will count. */
  readonly until: number;
}

/** Another text was signed first, but its quantity may have been set. */
const OVERTAKEN = 'overtaken';

/** The quantities that merchant and payers have set, by the answers to their calls alone. */
export class Quantities {
  readonly #deps: ActingDeps;
  readonly #settings: Setting[] = [];
  #asked = 0;

  constructor(deps: ActingDeps) {
    this.#deps = deps;
  }

  /** How many calls have set one for sure. */
  get count(): number {
    return this.#settings.filter(({ until }) => until !== Number.POSITIVE_INFINITY).length;
  }

  /** What the subscription may have had at that moment: several, while a call was under way. */
  at(subscriptionId: string, moment: number): ReadonlySet<number> {
    const about = this.#settings.filter(
      (each) => each.from <= moment && (each.subscriptionId ?? subscriptionId) === subscriptionId,
    );
    const isReplaced = ({ until }: Setting) => about.some((later) => later.from > until && later.until <= moment);
    return new Set(about.filter((each) => !isReplaced(each)).map(({ quantity }) => quantity));
  }

  /** The quantity of a sign-up; null: the price is fixed. */
  drawn(priceId: string): number | null {
    const { shop, random } = this.#deps;
    return shop.unitPrices.has(priceId) ? random.integer(QUANTITIES.least, QUANTITIES.most) : null;
  }

  /** Begins a call that sets this quantity. The function notes its result; a refused call sets nothing. */
  begin(quantity: number | null): (reported: Reported<unknown>, subscriptionId: string | null) => void {
    const { time } = this.#deps;
    const from = time.now;
    return (reported, subscriptionId) => {
      const isRefused = reported.kind === 'refused' && !reported.isAfterSilence && !reported.why.includes(OVERTAKEN);
      if (quantity === null || isRefused) return;
      const isSure = reported.kind === 'answered' && subscriptionId !== null;
      this.#settings.push({ subscriptionId, quantity, from, until: isSure ? time.now : Number.POSITIVE_INFINITY });
    };
  }

  /** The quantity that new terms have some day: that of the moment at which they are asked for. */
  beginMigration(subscriptionId: string): (reported: Reported<unknown>) => void {
    const { time } = this.#deps;
    const from = time.now;
    return (reported) => {
      if (reported.kind === 'refused' && !reported.isAfterSilence) return;
      const quantities = new Set([...this.at(subscriptionId, from), ...this.at(subscriptionId, time.now)]);
      for (const quantity of quantities)
        this.#settings.push({ subscriptionId, quantity, from, until: Number.POSITIVE_INFINITY });
    };
  }

  /** How long it is until the next cycle of this subscription falls due; null: none will, or nobody answers. */
  async untilDue(id: string): Promise<number | null> {
    const { merchant, shop, time } = this.#deps;
    const read = await merchant.ask(`read ${id}`, ({ billing }) => requireSubscription(billing, shop.tenant, id));
    const end = read.kind === 'answered' ? subscriptionContextOf(read.value).currentPeriodEnd : null;
    return end === null ? null : Date.parse(end) - time.now;
  }

  /** The merchant sets another quantity, or more than the price has; sometimes two at once. */
  async change(id: string): Promise<void> {
    await Promise.all(this.#deps.random.pick([[id], [id], [id, id]]).map((each) => this.#set(each)));
  }

  async #set(id: string): Promise<void> {
    const { random, merchant, shop } = this.#deps;
    const quantity = random.integer(QUANTITIES.least, QUANTITIES.most + 1);
    const isOffered = quantity <= QUANTITIES.most;
    this.#asked += 1;
    const change = { quantity, idempotencyKey: `quantity-${this.#asked}` };
    const note = this.begin(isOffered ? quantity : null);
    const reported = await merchant.insist(`${quantity} units for ${id}`, ({ billing }) =>
      changeQuantity(billing, shop.tenant, id, change, 'api'),
    );
    note(reported, id);
    if (reported.kind === 'answered' && !isOffered) merchant.oddities.push(`${id} was given ${quantity} units`);
  }
}
