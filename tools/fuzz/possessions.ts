import { z } from 'zod';

/** How many of each kind are kept; the newest. */
const KEPT = 40;

/** A resource in an answer. */
const resource = z.looseObject({ id: z.string() });
export type Resource = z.output<typeof resource>;

const priced = z
  .object({
    id: z.string(),
    pricing: z.array(
      z.object({
        id: z.string(),
        active: z.boolean(),
        billing: z.object({ type: z.string() }),
        acceptedTokens: z.array(z.object({ tokenKey: z.string() })),
      }),
    ),
  })
  .transform(({ id: offerId, pricing }) =>
    pricing
      .filter(({ active }) => active)
      .map(({ id, billing, acceptedTokens }) => {
        const tokens = acceptedTokens.map(({ tokenKey }) => tokenKey);
        return { id, offerId, isRecurring: billing.type === 'recurring', tokens };
      }),
  );
/** `address`: that of the EVM wallet; null: none. */
const customer = z
  .object({
    id: z.string(),
    wallets: z.array(z.object({ chainFamily: z.string(), address: z.string() })).default([]),
  })
  .transform(({ id, wallets }) => ({
    id,
    address: wallets.find(({ chainFamily }) => chainFamily === 'evm')?.address ?? null,
  }));
const subscription = z
  .object({ id: z.string(), offerId: z.string(), offerPriceId: z.string(), status: z.string() })
  .transform(({ id, offerId, offerPriceId: priceId, status }) => {
    return { id, offerId, priceId, isLive: status !== 'canceled' };
  });
const settled = z.object({ id: z.string(), status: z.literal('settled'), amount: z.string() });
const refund = z.object({ id: z.string(), paymentId: z.string() });
export type Price = z.output<typeof priced>[number];
export type Customer = z.output<typeof customer>;
export type Subscription = z.output<typeof subscription>;

const advanced = z.object({ subscriptionId: z.string(), status: z.string() });
const withText = z.object({ idempotencyKey: z.string().nullish(), identifier: z.string().nullish() });
const deleted = z.object({ id: z.string(), deleted: z.literal(true) });
const batchItem = z.object({ offer: resource });
const batch = z.object({ results: z.array(z.unknown()) });
const done = z.object({ id: z.string(), status: z.literal(200) });

/** The resources in an answer: itself, the items of its lists, and the results of a batch. Maps are skipped. */
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

/** The prefixes of the ids of kept resources. */
const PREFIXES = ['offer', 'cust', 'wal', 'pay', 'ref', 'evt', 'sub', 'cpn'] as const;
type Prefix = (typeof PREFIXES)[number];

/** The resources of a tenant, as its answers have shown them, for later requests. */
export class Possessions {
  readonly #resources = new Map<Prefix, readonly Resource[]>();
  deleted: readonly string[] = [];
  keys: readonly string[] = [];
  slugs: readonly string[] = [];

  /** The resources of several tenants. Later answers do not change them. */
  static of(...tenants: readonly Possessions[]): Possessions {
    const all = new Possessions();
    for (const prefix of PREFIXES) {
      all.#resources.set(
        prefix,
        tenants.flatMap((each) => each.#all(prefix)),
      );
    }
    all.deleted = tenants.flatMap((each) => each.deleted);
    all.keys = tenants.flatMap((each) => each.keys);
    all.slugs = tenants.flatMap((each) => each.slugs);
    return all;
  }

  ids(prefix: Prefix): string[] {
    return this.#all(prefix).map(({ id }) => id);
  }

  /** The active ones. */
  get prices(): Price[] {
    return this.#read('offer', priced).flat();
  }

  get customers(): Customer[] {
    return this.#read('cust', customer);
  }

  get subscriptions(): Subscription[] {
    return this.#read('sub', subscription);
  }

  get settledPayments(): { readonly id: string }[] {
    return this.#read('pay', settled);
  }

  get refunds(): { readonly id: string; readonly paymentId: string }[] {
    return this.#read('ref', refund);
  }

  get everyId(): string[] {
    return [...PREFIXES.flatMap((prefix) => this.ids(prefix)), ...this.prices.map(({ id }) => id)];
  }

  /** Records the resources of a successful answer. */
  learn(body: unknown): void {
    const gone = deleted.safeParse(body);
    if (gone.success) {
      this.#forget(gone.data.id);
      return;
    }
    for (const each of resourcesIn(body)) this.#note(each);
    const after = advanced.safeParse(body);
    if (after.success) this.#note({ id: after.data.subscriptionId, status: after.data.status });
  }

  /** Records the answer of a batch deletion. */
  forgetAll(body: unknown): void {
    for (const id of deletedBy(body)) this.#forget(id);
  }

  #note(found: Resource): void {
    const texts = withText.safeParse(found).data;
    if (texts?.idempotencyKey) this.keys = newest(this.keys, texts.idempotencyKey);
    if (texts?.identifier) this.slugs = newest(this.slugs, texts.identifier);
    const prefix = PREFIXES.find((each) => found.id.startsWith(`${each}_`));
    if (prefix === undefined) return;
    const known = this.#all(prefix);
    const before = known.find(({ id }) => id === found.id);
    const others = known.filter((each) => each !== before);
    this.#resources.set(prefix, [...others, { ...before, ...found }].slice(-KEPT));
  }

  #forget(gone: string): void {
    for (const [prefix, known] of this.#resources) {
      this.#resources.set(
        prefix,
        known.filter(({ id }) => id !== gone),
      );
    }
    this.deleted = newest(this.deleted, gone);
  }

  #all(prefix: Prefix): readonly Resource[] {
    return this.#resources.get(prefix) ?? [];
  }

  #read<T>(prefix: Prefix, schema: z.ZodType<T>): T[] {
    return this.#all(prefix).flatMap((each) => {
      const parsed = schema.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    });
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
