import type { EventOf } from '../../../machines/versions.ts';
import type { SentBy } from '../../engine/types.ts';
import { internalFault } from '../../errors/fault.ts';
import { newChargeSecret } from '../../model/charge-key.ts';
import { openConsent } from '../../model/consent.ts';
import { createdIn, type ListPage, mapPage, NEWEST_FIRST, readPage } from '../../model/lists.ts';
import { subscriptionAttributes } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { requireTaken } from '../actors/refusals.ts';
import { paymentRecord } from '../payments/record.ts';
import type {
  Created,
  CreateSubscription,
  PaymentRecord,
  SubscriptionFilter,
  SubscriptionRecord,
  Subscriptions,
} from '../services.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { requireSubscription } from './find.ts';
import { migrateTo } from './migrate.ts';
import { partiesOf, subscriptionOf } from './opening.ts';
import { subscriptionRecord } from './record.ts';
import { resumeNow } from './resume.ts';
import { retryNow } from './retry.ts';

/** The subscriptions service of the API. Every change goes through the engine. */
export function createSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  return {
    create: (tenant, input) => create(deps, tenant, input),
    get: async (tenant, id) => subscriptionRecord(await requireSubscription(deps, tenant, id), deps.clock()),
    list: (tenant, filter) => list(deps, tenant, filter),
    lastPayment: (tenant, id) => lastPayment(deps, tenant, id),
    cancel: (tenant, id, { atPeriodEnd }, by) => {
      const event = { type: 'cancel.requested', atPeriodEnd, reason: 'requested' } as const;
      return command(deps, tenant, id, { event, by, needs: 'pending, active or past_due' });
    },
    replaceVariables: (tenant, id, customVariables, by) => {
      const event = { type: 'variables.replaced', customVariables: { ...customVariables } } as const;
      return command(deps, tenant, id, { event, by, needs: 'any status' });
    },
    retry: (tenant, id, by) => retryNow(deps, tenant, id, by),
    resume: (tenant, id, by) => resumeNow(deps, tenant, id, by),
    migrate: (tenant, id, to, by) => migrateTo(deps, tenant, id, to, by),
  };
}

interface Command {
  readonly event: EventOf<'subscription'>;
  readonly by: SentBy;
  readonly needs: string;
}

/** Resolves when the change is stored and its immediate effects have run. Throws 404, 409. */
async function command(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  { event, by, needs }: Command,
): Promise<SubscriptionRecord> {
  const seen = await requireSubscription(deps, tenant, id);
  const result = await deps.engine.dispatch({ kind: 'subscription', id, event, by, seen });
  const doc = requireTaken(result, { name: event.type.split('.')[0] ?? event.type, needs });
  await deps.engine.completed(id);
  return subscriptionRecord(doc, deps.clock());
}

async function create(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  input: CreateSubscription,
): Promise<Created<SubscriptionRecord>> {
  const earlier = await earlierOf(deps, tenant, input);
  if (earlier) return earlier;
  const now = deps.clock();
  const parties = await partiesOf(tenantStore(deps.store, tenant), input, now);
  const family = deps.catalog.tokenByKey(parties.token.tokenKey)?.family;
  const payerWallet = parties.customer.wallets.find(({ chainFamily }) => chainFamily === family)?.address ?? null;
  const secret = newChargeSecret(family);
  const payer = { wallet: payerWallet, ...secret, ...openConsent(routerOf(deps, tenant, parties.token.tokenKey)) };
  const made = subscriptionOf(newId('sub', now), parties, input, payer, now);
  const [created] = await deps.engine.create('subscription', [made]);
  if (created?.kind === 'created') {
    return { resource: await withLink(deps, created.doc), replayed: false, mismatch: false };
  }
  const twin = await earlierOf(deps, tenant, input);
  if (twin) return twin;
  throw internalFault(`subscription collides on ${created?.index}`);
}

/** Adds a new link while the subscription is pending, also to a replay: the link of a lost answer is known to nobody. */
async function withLink(deps: SubscriptionsDeps, doc: ActorDoc): Promise<SubscriptionRecord> {
  const record = subscriptionRecord(doc, deps.clock());
  if (record.status !== 'pending') return record;
  return { ...record, authorizationToken: await deps.authorizations.issue(doc, { kind: 'subscription' }) };
}

/** The subscription that this key created, if any. */
async function earlierOf(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  { idempotencyKey, requestHash }: CreateSubscription,
): Promise<Created<SubscriptionRecord> | null> {
  if (idempotencyKey === null) return null;
  const where = { 'attributes.idempotencyKey': idempotencyKey };
  const [doc] = await tenantStore(deps.store, tenant).findActors('subscription', { where, limit: 1 });
  if (!doc) return null;
  const mismatch = subscriptionAttributes.parse(doc.attributes).requestHash !== requestHash;
  return { resource: await withLink(deps, doc), replayed: true, mismatch };
}

async function list(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  filter: SubscriptionFilter,
): Promise<ListPage<SubscriptionRecord>> {
  const where: TenantWhere = {
    ...(filter.status === null ? {} : { status: filter.status }),
    ...(filter.customerId === null ? {} : { 'attributes.customerId': filter.customerId }),
    ...(filter.offerId === null ? {} : { 'attributes.offerId': filter.offerId }),
    ...createdIn(filter.created),
  };
  const own = tenantStore(deps.store, tenant);
  const page = await readPage(filter, {
    sort: NEWEST_FIRST,
    get: (id) => own.actor('subscription', id),
    find: (query) => own.findActors('subscription', { where, ...query }),
  });
  const now = deps.clock();
  return mapPage(page, (doc) => subscriptionRecord(doc, now));
}

async function lastPayment(deps: SubscriptionsDeps, tenant: Tenant, id: string): Promise<PaymentRecord | null> {
  const [doc] = await tenantStore(deps.store, tenant).findActors('payment', {
    where: { 'attributes.subscriptionId': id },
    sort: [['attributes.cycle', -1]],
    limit: 1,
  });
  return doc ? paymentRecord(doc, deps.catalog) : null;
}

/** The router whose open operator the payer of a new subscription approves; null: the token's chain has none. */
function routerOf({ catalog, chains }: SubscriptionsDeps, { mode }: Tenant, tokenKey: string): string | null {
  const answer = catalog.play(tokenKey, mode);
  return (answer.ok ? chains.get(answer.play.chainId)?.router : null) ?? null;
}
