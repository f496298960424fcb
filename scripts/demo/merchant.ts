import { z } from 'zod';
import { requestJson } from '../lib/json-request.ts';
import { createMerchant, type StaffApi } from '../lib/staff.ts';

const withId = z.object({ id: z.string() });
const status = z.enum(['pending', 'active', 'past_due', 'canceled']);
const timestamp = z.iso.datetime();

const chainSchema = z.object({
  chainId: z.int(),
  enabled: z.boolean(),
  operator: z.string().nullable(),
  playedBy: z.int().nullable(),
  tokens: z.array(z.object({ key: z.string(), ticker: z.string(), decimals: z.int(), address: z.string().nullable() })),
});
const offerSchema = withId.extend({
  checkoutUrl: z.url(),
  pricing: z.array(
    withId.extend({
      acceptedTokens: z.array(z.object({ tokenKey: z.string(), amountBaseUnits: z.string() })),
      maxCycles: z.int().nullable(),
    }),
  ),
});
const subscriptionSchema = withId.extend({ status, allowanceConfirmed: z.boolean(), cyclesCompleted: z.int() });
const paymentStatus = z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']);
const statusViewSchema = subscriptionSchema.extend({
  currentPeriodEnd: timestamp.nullable(),
  consecutiveFailures: z.int(),
  lastInvoice: z.object({ status: paymentStatus, failureReason: z.string().nullable() }).nullable(),
});
const paymentSchema = withId.extend({
  status: paymentStatus,
  amount: z.string(),
  platformAmount: z.string(),
  merchantAmount: z.string(),
  fromWallet: z.string(),
  /** Where a charge went, or was to go: null for one that was refused before it began. */
  toWallet: z.string().nullable(),
  periodStart: timestamp,
  periodEnd: timestamp,
  pullTxHash: z.string().nullable(),
});
const attemptedSchema = paymentSchema.extend({ attempts: z.int(), failureReason: z.string().nullable() });
const advanceSchema = z.object({
  now: timestamp,
  complete: z.boolean(),
  steps: z.array(
    z.object({
      at: timestamp,
      event: z.string(),
      from: z.string(),
      to: z.string(),
      outcome: z.string().optional(),
    }),
  ),
  status,
});

export type CatalogChain = z.infer<typeof chainSchema>;
export type Offer = z.infer<typeof offerSchema>;
export type Subscription = z.infer<typeof subscriptionSchema>;
export type StatusView = z.infer<typeof statusViewSchema>;
export type Payment = z.infer<typeof paymentSchema>;
/** A payment with how it came about. */
export type AttemptedPayment = z.infer<typeof attemptedSchema>;
export type Advanced = z.infer<typeof advanceSchema>;

interface Ask<T> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly schema: z.ZodType<T>;
  readonly expected?: number;
}

/** A merchant's backend: every call is one of the merchant API, with the test key. All throw as `requestJson` does. */
export class Merchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly #baseUrl: string;

  private constructor(service: StaffApi, made: { id: string; testKey: string; liveKey: string }) {
    this.id = made.id;
    this.testKey = made.testKey;
    this.liveKey = made.liveKey;
    this.#baseUrl = `${service.url}/v1`;
  }

  /** The one thing that a merchant cannot do for itself. */
  static async signUp(service: StaffApi, name: string): Promise<Merchant> {
    return new Merchant(service, await createMerchant(service, name));
  }

  async setWebhookUrl(url: string): Promise<void> {
    await this.#call({ method: 'PATCH', path: '/webhooks/endpoint', body: { url }, schema: z.object({}) });
  }

  /** The signing secret: shown by this call and by none other. */
  async rotateSecret(): Promise<string> {
    const schema = z.object({ secret: z.string() });
    return (await this.#call({ method: 'POST', path: '/webhooks/secret/rotate', schema })).secret;
  }

  async chains(): Promise<CatalogChain[]> {
    const schema = z.object({ chains: z.array(chainSchema) });
    return (await this.#call({ method: 'GET', path: '/currencies?includeTestnets=true', schema })).chains;
  }

  async registerWallet(tokenKey: string, receiverWallet: string): Promise<void> {
    await this.#call({
      method: 'POST',
      path: '/wallets',
      body: { tokenKey, receiverWallet },
      schema: withId,
      expected: 201,
    });
  }

  createOffer(body: object): Promise<Offer> {
    return this.#call({ method: 'POST', path: '/offers', body, schema: offerSchema, expected: 201 });
  }

  async createCustomer(body: object): Promise<string> {
    return (await this.#call({ method: 'POST', path: '/customers', body, schema: withId, expected: 201 })).id;
  }

  subscribe(body: object): Promise<Subscription> {
    return this.#call({ method: 'POST', path: '/subscriptions', body, schema: subscriptionSchema, expected: 201 });
  }

  status(subscriptionId: string): Promise<StatusView> {
    return this.#call({ method: 'GET', path: `/subscriptions/${subscriptionId}`, schema: statusViewSchema });
  }

  /** Every payment of a subscription, oldest first. */
  async payments(subscriptionId: string): Promise<Payment[]> {
    const schema = z.object({ payments: z.array(paymentSchema) });
    const path = `/payments?subscriptionId=${subscriptionId}&limit=100`;
    return (await this.#call({ method: 'GET', path, schema })).payments.reverse();
  }

  /** By any of its three spellings, `sub-pay-…` of the events among them. */
  payment(id: string): Promise<AttemptedPayment> {
    return this.#call({ method: 'GET', path: `/payments/${id}`, schema: attemptedSchema });
  }

  /** Moves the subscription's clock to its next due moment, and lets happen what is due then. */
  advance(subscriptionId: string): Promise<Advanced> {
    return this.#call({ method: 'POST', path: '/sandbox/advance', body: { subscriptionId }, schema: advanceSchema });
  }

  cancel(subscriptionId: string): Promise<Subscription> {
    return this.#call({
      method: 'POST',
      path: `/subscriptions/${subscriptionId}/cancel`,
      schema: subscriptionSchema,
    });
  }

  #call<T>({ method, path, body, schema, expected = 200 }: Ask<T>): Promise<T> {
    return requestJson({
      method,
      url: `${this.#baseUrl}${path}`,
      headers: { 'X-API-Key': this.testKey },
      body,
      schema,
      expected: [expected],
    });
  }
}
