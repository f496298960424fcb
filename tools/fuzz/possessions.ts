import { z } from 'zod';

/** How many of each kind are kept; the newest. */
const KEPT = 40;

export interface Price {
  readonly id: string;
  readonly offerId: string;
  readonly isRecurring: boolean;
  readonly tokens: readonly string[];
}

export interface Subscription {
  readonly id: string;
  readonly offerId: string;
  readonly priceId: string;
  readonly isLive: boolean;
}

export interface Customer {
  readonly id: string;
  /** The address of the EVM wallet; null: none. */
  readonly address: string | null;
}

/** A resource in an answer. */
const resource = z.looseObject({ id: z.string() });
export type Resource = z.output<typeof resource>;

const pricing = z.object({
  pricing: z.array(
    z.object({
      id: z.string(),
      active: z.boolean(),
      billing: z.object({ type: z.string() }),
      acceptedTokens: z.array(z.object({ tokenKey: z.string() })),
    }),
  ),
});
const subscribed = z.object({ offerId: z.string(), offerPriceId: z.string() });
const withStatus = z.object({ status: z.string() });
const advanced = z.object({ subscriptionId: z.string(), status: z.string() });
const paying = z.object({ wallets: z.array(z.object({ chainFamily: z.string(), address: z.string() })) });
const withText = z.object({ idempotencyKey: z.string().nullish(), identifier: z.string().nullish() });
const deleted = z.object({ id: z.string(), deleted: z.literal(true) });
const batchItem = z.object({ offer: resource });
const batch = z.object({ results: z.array(z.unknown()) });
const done = z.object({ id: z.string(), status: z.literal(200) });

/**
 * All resources in an answer: itself, the items of its lists, and the results of a batch. Free-form maps are skipped.
 */
export function resourcesIn(body: unknown): Resource[] {
  if (typeof body !== 'object' || body === null) return [];
  const itself = resource.safeParse(body);
  const items = Object.entries(body).flatMap(([key, value]): unknown[] => {
    if (itself.success) return key === 'lastInvoice' ? [value] : [];
    if (!Array.isArray(value)) return [];
    return key === 'results' ? value.flatMap(offerOf) : value;
  });
  const found = items.flatMap((item) => {
    const one = resource.safeParse(item);
    return one.success ? [one.data] : [];
  });
  return itself.success ? [itself.data, ...found] : found;
}

function offerOf(item: unknown): unknown[] {
  const parsed = batchItem.safeParse(item);
  return parsed.success ? [parsed.data.offer] : [];
}

/** The resources of a tenant, as its answers have shown them, for later requests. */
export class Possessions {
  offers: string[] = [];
  prices: Price[] = [];
  customers: Customer[] = [];
  subscriptions: Subscription[] = [];
  payments: string[] = [];
  wallets: string[] = [];
  events: string[] = [];
  deleted: string[] = [];
  keys: string[] = [];
  slugs: string[] = [];

  /** Records the resources of a successful answer. */
  learn(body: unknown): void {
    const gone = deleted.safeParse(body);
    if (gone.success) {
      this.#forget(gone.data.id);
      return;
    }
    for (const each of resourcesIn(body)) this.#note(each);
    const after = advanced.safeParse(body);
    if (after.success) this.#noteStatus(after.data.subscriptionId, after.data.status);
  }

  /** Records the answer of a batch deletion. */
  forgetAll(body: unknown): void {
    for (const id of deletedBy(body)) this.#forget(id);
  }

  /** A copy that later answers do not change. */
  copy(): Possessions {
    return Object.assign(new Possessions(), structuredClone({ ...this }));
  }

  #note(found: Resource): void {
    const { id } = found;
    const texts = withText.safeParse(found);
    if (texts.success && texts.data.idempotencyKey) this.keys = newest(this.keys, texts.data.idempotencyKey);
    if (texts.success && texts.data.identifier) this.slugs = newest(this.slugs, texts.data.identifier);
    switch (id.slice(0, id.indexOf('_'))) {
      case 'offer':
        this.offers = newest(this.offers, id);
        this.#notePrices(id, found);
        return;
      case 'cust':
        this.#noteCustomer(id, found);
        return;
      case 'wal':
        this.wallets = newest(this.wallets, id);
        return;
      case 'pay':
        this.payments = newest(this.payments, id);
        return;
      case 'evt':
        this.events = newest(this.events, id);
        return;
      case 'sub':
        this.#noteSubscription(id, found);
        return;
      default:
        return;
    }
  }

  #notePrices(offerId: string, found: Resource): void {
    const parsed = pricing.safeParse(found);
    if (!parsed.success) return;
    const ids = parsed.data.pricing.map(({ id }) => id);
    const active = parsed.data.pricing
      .filter((one) => one.active)
      .map(({ id, billing, acceptedTokens }) => ({
        id,
        offerId,
        isRecurring: billing.type === 'recurring',
        tokens: acceptedTokens.map(({ tokenKey }) => tokenKey),
      }));
    this.prices = [...this.prices.filter(({ id }) => !ids.includes(id)), ...active].slice(-KEPT);
  }

  #noteCustomer(id: string, found: Resource): void {
    const parsed = paying.safeParse(found);
    const evm = parsed.success ? parsed.data.wallets.find(({ chainFamily }) => chainFamily === 'evm') : undefined;
    const others = this.customers.filter((one) => one.id !== id);
    this.customers = [...others, { id, address: evm?.address ?? null }].slice(-KEPT);
  }

  #noteStatus(id: string, status: string): void {
    this.subscriptions = this.subscriptions.map((one) =>
      one.id === id ? { ...one, isLive: status !== 'canceled' } : one,
    );
  }

  #noteSubscription(id: string, found: Resource): void {
    const parsed = subscribed.safeParse(found);
    const status = withStatus.safeParse(found);
    const isLive = status.success && status.data.status !== 'canceled';
    if (!parsed.success) {
      if (status.success) this.#noteStatus(id, status.data.status);
      return;
    }
    const others = this.subscriptions.filter((one) => one.id !== id);
    this.subscriptions = [
      ...others,
      { id, offerId: parsed.data.offerId, priceId: parsed.data.offerPriceId, isLive },
    ].slice(-KEPT);
  }

  #forget(gone: string): void {
    const stays = (id: string) => id !== gone;
    this.offers = this.offers.filter(stays);
    this.customers = this.customers.filter(({ id }) => stays(id));
    this.wallets = this.wallets.filter(stays);
    this.prices = this.prices.filter(({ offerId }) => offerId !== gone);
    this.deleted = newest(this.deleted, gone);
  }
}

function deletedBy(body: unknown): string[] {
  const parsed = batch.safeParse(body);
  if (!parsed.success) return [];
  return parsed.data.results.flatMap((item) => {
    const one = done.safeParse(item);
    return one.success ? [one.data.id] : [];
  });
}

function newest(list: readonly string[], one: string): string[] {
  return [...list.filter((each) => each !== one), one].slice(-KEPT);
}
