import { Fault, notFound } from '../fault.ts';
import { newId } from '../ids.ts';
import type { ActorDoc } from '../store/documents.ts';
import { type Tenant, type TenantWhere, tenantStore } from '../store/tenant.ts';
import type { BillingDeps } from './deps.ts';
import { paymentRecord } from './payments/record.ts';
import { requireTaken } from './refusals.ts';
import type {
  Created,
  CreateSubscription,
  PaymentRecord,
  SubscriptionFilter,
  SubscriptionRecord,
  Subscriptions,
} from './services.ts';
import { subscriptionAttributes } from './subscriptions/attributes.ts';
import { partiesOf, subscriptionOf } from './subscriptions/opening.ts';
import { subscriptionRecord } from './subscriptions/record.ts';

/** Newest first, as every list of the API. */
export const NEWEST_FIRST = [
  ['createdAt', -1],
  ['_id', -1],
] as const;

export function createSubscriptions(deps: BillingDeps): Subscriptions {
  return {
    create: (tenant, input) => create(deps, tenant, input),
    get: async (tenant, id) => subscriptionRecord(await requireSubscription(deps, tenant, id)),
    list: (tenant, filter) => list(deps, tenant, filter),
    lastPayment: (tenant, id) => lastPayment(deps, tenant, id),
    cancel: async (tenant, id, { atPeriodEnd }, by) => {
      await requireSubscription(deps, tenant, id);
      const event = { type: 'cancel.requested', atPeriodEnd, reason: 'requested' } as const;
      const result = await deps.engine.dispatch({ kind: 'subscription', id, event, by });
      const doc = requireTaken(result, { name: 'cancel', needs: 'pending, active or past_due' });
      await deps.engine.settled(id);
      return subscriptionRecord(doc);
    },
  };
}

/** The tenant's subscription. Throws 404. */
export async function requireSubscription(deps: BillingDeps, tenant: Tenant, id: string): Promise<ActorDoc> {
  const doc = await tenantStore(deps.store, tenant).actor('subscription', id);
  if (!doc) throw notFound();
  return doc;
}

async function create(
  deps: BillingDeps,
  tenant: Tenant,
  input: CreateSubscription,
): Promise<Created<SubscriptionRecord>> {
  const earlier = await replayOf(deps, tenant, input);
  if (earlier) return earlier;
  const now = deps.clock();
  const parties = await partiesOf(tenantStore(deps.store, tenant), input, now);
  const family = deps.catalog.tokenByKey(parties.token.tokenKey)?.family;
  const payerWallet = parties.customer.wallets.find(({ chainFamily }) => chainFamily === family)?.address ?? null;
  const made = subscriptionOf(newId('sub', now), parties, input, payerWallet, now);
  const [created] = await deps.engine.create('subscription', [made]);
  if (created?.kind === 'created') {
    return { resource: subscriptionRecord(created.doc), replayed: false, mismatch: false };
  }
  const twin = await replayOf(deps, tenant, input);
  if (twin) return twin;
  throw new Fault('internal', 'Internal error', { internal: `subscription collides on ${created?.index}` });
}

/** The subscription that this key made, if it made one. */
async function replayOf(
  deps: BillingDeps,
  tenant: Tenant,
  { idempotencyKey, requestHash }: CreateSubscription,
): Promise<Created<SubscriptionRecord> | null> {
  if (idempotencyKey === null) return null;
  const where = { 'attributes.idempotencyKey': idempotencyKey };
  const [doc] = await tenantStore(deps.store, tenant).findActors('subscription', { where, limit: 1 });
  if (!doc) return null;
  const mismatch = subscriptionAttributes.parse(doc.attributes).requestHash !== requestHash;
  return { resource: subscriptionRecord(doc), replayed: true, mismatch };
}

async function list(deps: BillingDeps, tenant: Tenant, filter: SubscriptionFilter): Promise<SubscriptionRecord[]> {
  const where: TenantWhere = {
    ...(filter.status === null ? {} : { status: filter.status }),
    ...(filter.customerId === null ? {} : { 'attributes.customerId': filter.customerId }),
    ...(filter.offerId === null ? {} : { 'attributes.offerId': filter.offerId }),
  };
  const { limit, start } = filter;
  const docs = await tenantStore(deps.store, tenant).findActors('subscription', {
    where,
    sort: NEWEST_FIRST,
    limit,
    start,
  });
  return docs.map(subscriptionRecord);
}

async function lastPayment(deps: BillingDeps, tenant: Tenant, id: string): Promise<PaymentRecord | null> {
  const [doc] = await tenantStore(deps.store, tenant).findActors('payment', {
    where: { 'attributes.subscriptionId': id },
    sort: [['attributes.cycle', -1]],
    limit: 1,
  });
  return doc ? paymentRecord(doc, deps.catalog) : null;
}
