import type { Canceler, Shortage } from '../../../machines/subscription/context.ts';
import type { EventOf } from '../../../machines/versions.ts';
import type { SentBy } from '../../engine/types.ts';
import { type Fault, internalFault, notFound } from '../../errors/fault.ts';
import { newChargeSecret, openConsent } from '../../model/consent.ts';
import {
  type CreatedRange,
  createdIn,
  findOfAll,
  type ListPage,
  NEWEST_FIRST,
  type Page,
  readPage,
} from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import {
  type CustomVariables,
  LIVE_STATUSES,
  type SubscriptionStatus,
  subscriptionAttributes,
  subscriptionContextOf,
} from '../../model/subscription.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { requireTaken } from '../actors/refusals.ts';
import { redeem } from '../coupons/redemptions.ts';
import { signedMandate } from '../mandates/mandates.ts';
import { type Created, claimKey, storedKey, subscriptionKeyId } from '../resources/idempotency.ts';
import { countedTotals, type Totals } from '../resources/totals.ts';
import { issueAuthorization } from './authorizations.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { type CreateSubscription, type Parties, partiesOf, subscriptionOf } from './opening.ts';
import { lastChargeFrom, readinessOf } from './readiness.ts';

/** The tenant's subscription. Throws 404. */
export async function requireSubscription(
  { store }: { readonly store: Store },
  tenant: Tenant,
  id: string,
): Promise<StoredActor> {
  const doc = await tenantStore(store, tenant).actor('subscription', id);
  if (!doc) throw notFound();
  return doc;
}

/**
 * A subscription with the token of the payer's link, whose hash alone is stored; null: nothing is left to
 * authorize.
 */
export interface OpenedSubscription {
  readonly doc: ActorDoc;
  readonly authorizationToken: string | null;
}

export interface SubscriptionFilter extends Page {
  readonly status?: SubscriptionStatus | undefined;
  readonly customerId?: string | undefined;
  readonly offerId?: string | undefined;
  readonly created?: CreatedRange | undefined;
  readonly attention?: Attention | undefined;
}

/** Why a live subscription may bring no next payment. */
export const ATTENTIONS = ['will_not_renew', 'approval_missing', 'balance_missing'] as const;
type Attention = (typeof ATTENTIONS)[number];

/**
 * Now, or at the end of the period. The end of a metered price charges its use, once. Throws 404 for
 * an unknown id, 409 if it is canceled.
 */
export async function cancelSubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  { atPeriodEnd, canceledBy = 'merchant' }: { readonly atPeriodEnd: boolean; readonly canceledBy?: Canceler },
  by: SentBy,
): Promise<ActorDoc> {
  const seen = await requireSubscription(deps, tenant, id);
  const charge = atPeriodEnd ? {} : await lastCharge(deps, seen);
  const event = { type: 'cancel.requested', atPeriodEnd, reason: 'requested', canceledBy, ...charge } as const;
  return command(deps, seen, { event, by, needs: 'pending, active or past_due' });
}

/** For the use under a metered price. */
async function lastCharge(deps: SubscriptionsDeps, doc: ActorDoc) {
  const context = subscriptionContextOf(doc);
  if (context.usage === undefined) return {};
  const [charge] = await readinessOf(deps, [doc]);
  const notBefore = lastChargeFrom(context, await signedMandate(deps, context.consent), deps.clock());
  return { ...(charge && { charge }), ...(notBefore === null ? {} : { notBefore }) };
}

/** In every status. Throws 404 for an unknown id. */
export async function replaceVariables(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  customVariables: CustomVariables,
  by: SentBy,
): Promise<ActorDoc> {
  const event = { type: 'variables.replaced', customVariables: { ...customVariables } } as const;
  return command(deps, await requireSubscription(deps, tenant, id), { event, by, needs: 'any status' });
}

/** Takes new terms back that have not begun. Throws 404, and 409 if none wait, or they are being charged. */
export async function cancelMigration(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  by: SentBy,
): Promise<ActorDoc> {
  const seen = await requireSubscription(deps, tenant, id);
  const event = { type: 'migration_cancel.requested' } as const;
  return command(deps, seen, { event, by, name: 'taking a migration back', needs: 'one that has not begun' });
}

interface Command {
  readonly event: EventOf<'subscription'>;
  readonly by: SentBy;
  /** Absent: the first word of the event. */
  readonly name?: string;
  readonly needs: string;
  /** Why its machine has refused the event; null or absent: it needs another status. */
  readonly refusal?: (doc: ActorDoc) => Fault | null;
}

/** Resolves when the change is stored and its immediate effects have run. Throws 409, and the refusal. */
export async function command(
  deps: Pick<SubscriptionsDeps, 'engine'>,
  seen: StoredActor,
  { event, by, needs, name = event.type.split('.')[0] ?? event.type, refusal = () => null }: Command,
): Promise<ActorDoc> {
  const result = await deps.engine.dispatch({ kind: 'subscription', id: seen._id, event, by, seen });
  const fault = result.kind === 'refused' ? refusal(result.doc) : null;
  if (fault !== null) throw fault;
  const doc = requireTaken(result, { name, needs });
  await deps.engine.completed(seen._id);
  return doc;
}

/** Throws 404 for unknown parties, and 400 if there is nothing to subscribe to. */
export async function createSubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  input: CreateSubscription,
): Promise<Created<OpenedSubscription>> {
  const earlier = await earlierOf(deps, tenant, input);
  if (earlier) return earlier;
  const now = deps.clock();
  const parties = await partiesOf(tenantStore(deps.store, tenant), input, now);
  const family = deps.catalog.tokenByKey(parties.token.tokenKey)?.family;
  const payerWallet = parties.customer.wallets.find(({ chainFamily }) => chainFamily === family)?.address ?? null;
  const secret = newChargeSecret(family);
  const payer = { wallet: payerWallet, ...secret, ...openConsent(routerOf(deps, tenant, parties.token.tokenKey)) };
  const id = await claimId(deps, tenant, input, now);
  const made = subscriptionOf(
    id,
    { ...parties, ...(await discountFor(deps, tenant, id, parties, input)) },
    input,
    payer,
    now,
  );
  const [created] = await deps.engine.create('subscription', [made]);
  if (created?.kind === 'created') {
    return { resource: await withLink(deps, created.doc), replayed: false, mismatch: false };
  }
  const twin = await earlierOf(deps, tenant, input);
  if (twin) return twin;
  throw internalFault(`${id} belongs to another subscription`);
}

/**
 * Adds a new link while the subscription is pending, also to a replay: the link of a lost answer is known to nobody.
 */
async function withLink(deps: SubscriptionsDeps, doc: ActorDoc): Promise<OpenedSubscription> {
  const isPending = doc.status === 'pending';
  return { doc, authorizationToken: isPending ? await issueAuthorization(deps, doc, { kind: 'subscription' }) : null };
}

/** Counts the redemption of its coupon. Throws 404 and 400. */
async function discountFor(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  { offer, token: { tokenKey }, customer }: Parties,
  { couponId }: CreateSubscription,
): Promise<Pick<Parties, 'discount'>> {
  if (couponId === null) return {};
  const use = { offerId: offer._id, tokenKey, customerId: customer._id, subscriptionId: id };
  return { discount: await redeem(deps, tenant, couponId, use) };
}

/** The id of the subscription that the key creates; without a key a new one. */
async function claimId(
  { store }: SubscriptionsDeps,
  tenant: Tenant,
  { idempotencyKey }: CreateSubscription,
  now: Date,
): Promise<string> {
  const actorId = newId('sub', now);
  if (idempotencyKey === null) return actorId;
  const _id = subscriptionKeyId(tenant, idempotencyKey);
  return (await claimKey(store, { _id, merchantId: tenant.merchantId, actorId, createdAt: now })).actorId;
}

/** The subscription that this key created, if any. */
async function earlierOf(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  { idempotencyKey, requestHash }: CreateSubscription,
): Promise<Created<OpenedSubscription> | null> {
  if (idempotencyKey === null) return null;
  const known = await storedKey(deps.store.records, subscriptionKeyId(tenant, idempotencyKey));
  const doc = known && (await tenantStore(deps.store, tenant).actor('subscription', known.actorId));
  if (!doc) return null;
  const mismatch = subscriptionAttributes.parse(doc.attributes).requestHash !== requestHash;
  return { resource: await withLink(deps, doc), replayed: true, mismatch };
}

/** Newest first. Throws 400 for an unknown `startingAfter`. */
export function listSubscriptions(
  { store }: Pick<SubscriptionsDeps, 'store'>,
  tenant: Tenant,
  filter: SubscriptionFilter,
): Promise<ListPage<ActorDoc>> {
  const own = tenantStore(store, tenant);
  return readPage<ActorDoc>(filter, {
    sort: NEWEST_FIRST,
    get: (id) => own.actor('subscription', id),
    find: (query) =>
      findOfAll(conditionsOf(filter), query, (where, part) => own.findActors('subscription', { where, ...part })),
  });
}

/** How many a filter finds. */
export function countSubscriptions(
  { store }: Pick<SubscriptionsDeps, 'store'>,
  tenant: Tenant,
  filter: Omit<SubscriptionFilter, keyof Page>,
): Promise<Totals> {
  const own = tenantStore(store, tenant);
  return countedTotals(async (atMost) => {
    const counts = conditionsOf(filter).map((where) => own.countActors('subscription', where, atMost));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  });
}

/** The conditions of a filter. A subscription matches one of them at most. */
function conditionsOf({
  status,
  customerId,
  offerId,
  created,
  attention,
}: Omit<SubscriptionFilter, keyof Page>): readonly TenantWhere[] {
  const where = {
    ...compact({ 'attributes.customerId': customerId, 'attributes.offerId': offerId }),
    ...createdIn(created),
  };
  if (attention === undefined) return [{ ...compact({ status }), ...where }];
  const among = attention === 'approval_missing' ? (['active', 'past_due'] as const) : LIVE_STATUSES;
  const statuses = { in: among.filter((each) => status === undefined || each === status) };
  return SHORT_OF[attention].map((why) => ({ ...where, status: statuses, ...why }));
}

const SHORT: Shortage = 'insufficient_balance';

/** A balance can be too low for the next charge, or for the open one. */
const SHORT_OF: { readonly [A in Attention]: readonly TenantWhere[] } = {
  will_not_renew: [{ 'context.cancelAt': { gt: '' } }],
  approval_missing: [{ 'context.allowanceConfirmed': false }],
  balance_missing: [
    { 'context.risk.short': SHORT },
    { 'context.open.failedFor': SHORT, 'context.risk.short': { not: SHORT } },
  ],
};

/** The newest cycle's payment; null before the first attempt. */
export async function lastPayment(
  { store }: Pick<SubscriptionsDeps, 'store'>,
  { _id, ...tenant }: Tenant & { readonly _id: string },
): Promise<ActorDoc | null> {
  const [doc] = await tenantStore(store, tenant).findActors('payment', {
    where: { 'attributes.subscriptionId': _id },
    sort: [['attributes.cycle', -1]],
    limit: 1,
  });
  return doc ?? null;
}

/** The router whose open operator the payer of a new subscription approves; null: the token's chain has none. */
function routerOf({ catalog, chains }: SubscriptionsDeps, { mode }: Tenant, tokenKey: string): string | null {
  const answer = catalog.play(tokenKey, mode);
  return (answer.ok ? chains.get(answer.play.chainId)?.router : null) ?? null;
}
