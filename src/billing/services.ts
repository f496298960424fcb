import type { BlockedReason, FailureReason } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { SentBy } from '../engine/types.ts';
import type { Affiliate } from '../model/affiliate.ts';
import type { CreatedRange, ListPage, Metadata, Page } from '../model/lists.ts';
import type { ChainFamily } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';

/**
 * The result of an idempotent create. `replayed`: the key was used before, `resource` is the earlier one, and nothing new
 * was created. `mismatch`: the earlier request had another body (docs/rules.md, "Payments": Keys).
 */
export interface Created<T> {
  readonly resource: T;
  readonly replayed: boolean;
  readonly mismatch: boolean;
}

type SubscriptionStatus = 'pending' | 'active' | 'past_due' | 'canceled';

export type CustomVariables = { readonly [name: string]: string | number | boolean };

/** A subscription as of now, with everything that its views show. */
export interface SubscriptionRecord extends Tenant {
  readonly id: string;
  readonly offerId: string;
  readonly offerPriceId: string;
  readonly offerName: string;
  /** As the price was sent. */
  readonly priceAmount: string;
  readonly priceCurrency: string;
  readonly customerId: string;
  /** The chain of the requested token, whichever chain plays it. */
  readonly chainId: number;
  readonly tokenKey: string;
  readonly status: SubscriptionStatus;
  readonly currentPeriodEnd: Date | null;
  readonly allowanceConfirmed: boolean;
  readonly cyclesCompleted: number;
  readonly consecutiveFailures: number;
  readonly customVariables: CustomVariables;
  /** A copy of the offer's. */
  readonly afterCompletion: JsonObject;
  readonly idempotencyKey: string | null;
  readonly affiliate: Affiliate | null;
  readonly payerWallet: string | null;
  /**
   * The token of the payer's authorization link. Only the answer of POST /subscriptions has it, because only its hash is
   * stored.
   */
  readonly authorizationToken: string | null;
  readonly cancelAt: Date | null;
  readonly trialEnd: Date | null;
  /** Set while a migration waits for the payer or for the next period. */
  readonly pendingOfferPriceId: string | null;
  readonly blockedReason: BlockedReason | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A checked POST /subscriptions. `requestHash` identifies the body, so that a replay with another one is detected. */
export interface CreateSubscription {
  readonly priceId: string;
  readonly customerId: string;
  readonly offerId: string | null;
  readonly tokenKey: string | null;
  readonly customVariables: CustomVariables;
  readonly affiliate: Affiliate | null;
  readonly idempotencyKey: string | null;
  readonly requestHash: string;
}

export interface SubscriptionFilter extends Page {
  readonly status: SubscriptionStatus | null;
  readonly customerId: string | null;
  readonly offerId: string | null;
  readonly created: CreatedRange | null;
}

/** The subscriptions service of the API. Every method throws 404 for an id that is not the tenant's. */
export interface Subscriptions {
  create(tenant: Tenant, input: CreateSubscription): Promise<Created<SubscriptionRecord>>;
  get(tenant: Tenant, id: string): Promise<SubscriptionRecord>;
  /** Newest first. Throws 400 for an unknown `startingAfter`. */
  list(tenant: Tenant, filter: SubscriptionFilter): Promise<ListPage<SubscriptionRecord>>;
  /** The newest cycle's payment, or null before the first attempt (`lastInvoice`). */
  lastPayment(tenant: Tenant, id: string): Promise<PaymentRecord | null>;
  /** Throws 409 if it is canceled. */
  cancel(tenant: Tenant, id: string, how: { readonly atPeriodEnd: boolean }, by: SentBy): Promise<SubscriptionRecord>;
  /** In every status. */
  replaceVariables(
    tenant: Tenant,
    id: string,
    customVariables: CustomVariables,
    by: string,
  ): Promise<SubscriptionRecord>;
  /**
   * Makes one attempt of the open cycle now. Resolves when its outcome is known, or with the present state after 25 s.
   * Throws 409 if no attempt of a cycle has failed, one is in flight, or none can be made.
   */
  retry(tenant: Tenant, id: string, by: SentBy): Promise<SubscriptionRecord>;
  /**
   * Clears a scheduled cancel. While pending or past due it also checks the chain, and makes one attempt if a charge is due
   * and would succeed. Resolves as `retry` does. Throws 409 if there is nothing to resume.
   */
  resume(tenant: Tenant, id: string, by: SentBy): Promise<SubscriptionRecord>;
  /** Records new terms until the payer authorizes them; they replace any recorded before. Every refusal is a 400. */
  migrate(tenant: Tenant, id: string, to: MigrateSubscription, by: string): Promise<MigrationRecord>;
}

export interface MigrateSubscription {
  readonly priceId: string;
  /** null: the present token if the new option accepts it, else the only one that it accepts. */
  readonly tokenKey: string | null;
}

/** A migration that waits for the payer. */
export interface MigrationRecord {
  readonly id: string;
  readonly priceId: string;
  /** The token of the payer's link; only its hash is stored. */
  readonly authorizationToken: string;
}

type PaymentStatus = 'pending' | 'pulled' | 'settled' | 'failed' | 'canceled';
type PaymentSource = 'one_time' | 'subscription';
type PaymentMethod = 'wallet_connect' | 'wallet_transfer';

/** A payment as of now, with everything that its views and `lastInvoice` show. */
export interface PaymentRecord extends Tenant {
  readonly id: string;
  readonly customerId: string | null;
  readonly source: PaymentSource;
  readonly subscriptionId: string | null;
  readonly offerId: string | null;
  readonly priceId: string | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly idempotencyKey: string | null;
  readonly paymentMethod: PaymentMethod;
  readonly fromWallet: string | null;
  readonly toWallet: string | null;
  /** Base units of the token, like the two shares; `decimals` is the token's. */
  readonly amount: bigint;
  readonly platformAmount: bigint;
  readonly merchantAmount: bigint;
  readonly decimals: number;
  readonly tokenKey: string;
  readonly chainId: number;
  readonly pullTxHash: string | null;
  readonly forwardTxHash: string | null;
  readonly platformTransferTxHash: string | null;
  readonly distributeTxHash: string | null;
  readonly status: PaymentStatus;
  readonly failureReason: FailureReason | null;
  readonly blockedReason: BlockedReason | null;
  readonly affiliate: Affiliate | null;
  readonly metadata: { readonly [key: string]: string };
  readonly refundWallet: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** For a `wallet_transfer`: only POST /payments shows it (reference, section 2: Payment). */
  readonly deposit: { readonly address: string; readonly expiresAt: Date } | null;
}

/** What distinguishes one POST /payments from another. */
export type PaymentKey = Pick<CreatePayment, 'idempotencyKey' | 'requestHash'>;

/** A checked POST /payments: addresses suit the chain, `amount` is in base units and more than zero. */
export interface CreatePayment
  extends Pick<
    PaymentRecord,
    'tokenKey' | 'chainId' | 'amount' | 'paymentMethod' | 'customerId' | 'affiliate' | 'metadata' | 'refundWallet'
  > {
  readonly family: ChainFamily;
  readonly toWallet: string;
  /** null only for a `wallet_transfer`. */
  readonly fromWallet: string | null;
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

export interface PaymentFilter extends Page {
  readonly status: PaymentStatus | null;
  readonly source: PaymentSource | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly offerId: string | null;
  /** Of all of these. Only one-off payments have any. */
  readonly metadata: Metadata | null;
  readonly created: CreatedRange | null;
}

/** The payments service of the API. Ids have any of the three spellings; 404 for one that is not the tenant's. */
export interface Payments {
  /**
   * The payment that this key has created, once its outcome is known; null: none yet. Call it before the request is checked
   * against catalog and chains, which may have changed since. Throws 409 if the key is another merchant's.
   */
  earlier(tenant: Tenant, key: PaymentKey): Promise<Created<PaymentRecord> | null>;
  create(tenant: Tenant, input: CreatePayment): Promise<Created<PaymentRecord>>;
  get(tenant: Tenant, id: string): Promise<PaymentRecord>;
  /** Newest first. Throws 400 for an unknown `startingAfter`. */
  list(tenant: Tenant, filter: PaymentFilter): Promise<ListPage<PaymentRecord>>;
  /**
   * Throws 409 for a cycle's payment, one that is not pending, one whose charge has been started, and one whose deposit
   * address has received money.
   */
  cancel(tenant: Tenant, id: string, by: SentBy): Promise<PaymentRecord>;
}

export interface ChargeOutcome {
  readonly outcome: 'settled' | 'failed' | 'pending' | 'skipped' | 'canceled';
  readonly paymentId: string | null;
  readonly reason: string | null;
}

/** The target of a subscription's sandbox clock; all null: the next due moment (docs/rules.md, "Sandbox"). */
export interface AdvanceInput {
  readonly subscriptionId: string;
  readonly to: Date | null;
  readonly days: number | null;
  readonly status: 'active' | 'past_due' | 'canceled' | null;
}

export interface AdvanceStep {
  readonly at: Date;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly outcome: string | null;
}

export interface AdvanceResult {
  readonly subscriptionId: string;
  readonly now: Date;
  readonly complete: boolean;
  readonly steps: readonly AdvanceStep[];
  readonly status: SubscriptionStatus;
  readonly currentPeriodEnd: Date | null;
}

/** Operations for test keys only. Both throw 404 for an id that is not the tenant's. */
export interface Sandbox {
  /**
   * Makes one attempt of the subscription's cycle, due or not. Resolves when its outcome is known, with `pending` after 25
   * s, and with `skipped` and a reason at once if none could be made. Throws 409 if it is canceled, or paid beyond the end
   * of all clocks.
   */
  charge(tenant: Tenant, subscriptionId: string): Promise<ChargeOutcome>;
  /**
   * Moves the subscription's own clock forward through everything that falls due: at most 60 steps or 25 s; then `complete`
   * is false, and the caller repeats it. Throws 400 for a time in the past or after the end of all clocks, 409 if it is
   * canceled, if the status cannot be reached, and if nothing is due before that end.
   */
  advance(tenant: Tenant, input: AdvanceInput): Promise<AdvanceResult>;
}
