import type {
  AdvanceInput,
  AdvanceResult,
  ChargeOutcome,
  Created,
  CreatePayment,
  CreateSubscription,
  CustomVariables,
  MigrateSubscription,
  MigrationRecord,
  PaymentFilter,
  PaymentRecord,
  Payments,
  Sandbox,
  SubscriptionFilter,
  SubscriptionRecord,
  Subscriptions,
} from '../../src/billing/services.ts';
import { notFound } from '../../src/errors/fault.ts';
import type { ListPage } from '../../src/model/lists.ts';
import type { Tenant } from '../../src/store/documents.ts';

/** A call of a service, in order. */
interface Asked<T> {
  readonly tenant: Tenant;
  readonly input: T;
}

const MADE_AT = new Date('2030-01-15T10:00:00.000Z');

/** A subscription in the middle of its life; a test adds its own fields. */
export function subscriptionRecord(change: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return {
    id: 'sub_01hm0000000000000000000001',
    merchantId: 'mrc_01hm0000000000000000000001',
    mode: 'test',
    offerId: 'offer_01hm0000000000000000000001',
    offerPriceId: 'price_01hm0000000000000000000001',
    offerName: 'Pro',
    priceAmount: '9.90',
    priceCurrency: 'USD',
    customerId: 'cust_01hm0000000000000000000001',
    chainId: 31337,
    tokenKey: 'usdc-local-evm',
    status: 'pending',
    currentPeriodEnd: null,
    allowanceConfirmed: false,
    cyclesCompleted: 0,
    consecutiveFailures: 0,
    customVariables: {},
    afterCompletion: {},
    idempotencyKey: null,
    affiliate: null,
    payerWallet: null,
    authorizationToken: null,
    cancelAt: null,
    trialEnd: null,
    pendingOfferPriceId: null,
    blockedReason: null,
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
    ...change,
  };
}

/** A settled direct charge of 10.00 USDC with a fee of 1 %. */
export function paymentRecord(change: Partial<PaymentRecord> = {}): PaymentRecord {
  return {
    id: 'pay_01hm0000000000000000000001',
    merchantId: 'mrc_01hm0000000000000000000001',
    mode: 'test',
    customerId: null,
    source: 'one_time',
    subscriptionId: null,
    offerId: null,
    priceId: null,
    periodStart: null,
    periodEnd: null,
    attempts: 1,
    nextAttemptAt: null,
    idempotencyKey: 'order-1',
    paymentMethod: 'wallet_connect',
    fromWallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    toWallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    amount: 10_000_000n,
    platformAmount: 100_000n,
    merchantAmount: 9_900_000n,
    decimals: 6,
    tokenKey: 'usdc-local-evm',
    chainId: 31337,
    pullTxHash: '0xabc',
    forwardTxHash: '0xabc',
    platformTransferTxHash: '0xabc',
    distributeTxHash: null,
    status: 'settled',
    failureReason: null,
    blockedReason: null,
    affiliate: null,
    metadata: {},
    refundWallet: null,
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
    deposit: null,
    ...change,
  };
}

/** Answers with its records, and records the calls. */
export class ScriptedSubscriptions implements Subscriptions {
  readonly asked: Asked<unknown>[] = [];
  answer: Created<SubscriptionRecord> = { resource: subscriptionRecord(), replayed: false, mismatch: false };
  records: SubscriptionRecord[] = [];
  payment: PaymentRecord | null = null;
  authorizationToken = 'a'.repeat(43);

  async create(tenant: Tenant, input: CreateSubscription): Promise<Created<SubscriptionRecord>> {
    this.#ask(tenant, input);
    return this.answer;
  }

  async get(tenant: Tenant, id: string): Promise<SubscriptionRecord> {
    this.#ask(tenant, id);
    return found(this.records, id);
  }

  async list(tenant: Tenant, filter: SubscriptionFilter): Promise<ListPage<SubscriptionRecord>> {
    this.#ask(tenant, filter);
    return { items: this.records, hasMore: false };
  }

  async lastPayment(): Promise<PaymentRecord | null> {
    return this.payment;
  }

  async cancel(tenant: Tenant, id: string, how: object, by: string): Promise<SubscriptionRecord> {
    this.#ask(tenant, { id, ...how, by });
    return found(this.records, id);
  }

  async replaceVariables(
    tenant: Tenant,
    id: string,
    customVariables: CustomVariables,
    by: string,
  ): Promise<SubscriptionRecord> {
    this.#ask(tenant, { id, customVariables, by });
    return { ...found(this.records, id), customVariables };
  }

  async retry(tenant: Tenant, id: string, by: string): Promise<SubscriptionRecord> {
    this.#ask(tenant, { id, by });
    return found(this.records, id);
  }

  async resume(tenant: Tenant, id: string, by: string): Promise<SubscriptionRecord> {
    this.#ask(tenant, { id, by });
    return found(this.records, id);
  }

  async migrate(tenant: Tenant, id: string, to: MigrateSubscription, by: string): Promise<MigrationRecord> {
    this.#ask(tenant, { id, ...to, by });
    found(this.records, id);
    return { id, priceId: to.priceId, authorizationToken: this.authorizationToken };
  }

  #ask(tenant: Tenant, input: unknown): void {
    this.asked.push({ tenant: { merchantId: tenant.merchantId, mode: tenant.mode }, input });
  }
}

export class ScriptedPayments implements Payments {
  readonly asked: Asked<unknown>[] = [];
  answer: Created<PaymentRecord> = { resource: paymentRecord(), replayed: false, mismatch: false };
  records: PaymentRecord[] = [];

  async earlier(): Promise<null> {
    return null;
  }

  async create(tenant: Tenant, input: CreatePayment): Promise<Created<PaymentRecord>> {
    this.#ask(tenant, input);
    return this.answer;
  }

  async get(tenant: Tenant, id: string): Promise<PaymentRecord> {
    this.#ask(tenant, id);
    return found(this.records, id);
  }

  async list(tenant: Tenant, filter: PaymentFilter): Promise<ListPage<PaymentRecord>> {
    this.#ask(tenant, filter);
    return { items: this.records, hasMore: false };
  }

  async cancel(tenant: Tenant, id: string): Promise<PaymentRecord> {
    this.#ask(tenant, id);
    return found(this.records, id);
  }

  #ask(tenant: Tenant, input: unknown): void {
    this.asked.push({ tenant: { merchantId: tenant.merchantId, mode: tenant.mode }, input });
  }
}

export class ScriptedSandbox implements Sandbox {
  readonly asked: unknown[] = [];
  outcome: ChargeOutcome = { outcome: 'settled', paymentId: 'pay_01hm0000000000000000000001', reason: null };
  result: AdvanceResult = {
    subscriptionId: 'sub_01hm0000000000000000000001',
    now: MADE_AT,
    complete: true,
    steps: [],
    status: 'active',
    currentPeriodEnd: null,
  };

  async charge(_tenant: Tenant, subscriptionId: string): Promise<ChargeOutcome> {
    this.#ask(subscriptionId);
    return this.outcome;
  }

  async advance(_tenant: Tenant, input: AdvanceInput): Promise<AdvanceResult> {
    this.#ask(input);
    return this.result;
  }

  #ask(input: unknown): void {
    this.asked.push(input);
  }
}

function found<T extends { readonly id: string }>(records: readonly T[], id: string): T {
  const record = records.find((one) => one.id === id);
  if (record === undefined) throw notFound();
  return record;
}
