import { internalFault, invalid } from '../../errors/fault.ts';
import { consentIn } from '../../model/consent.ts';
import { isLive, subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { CheckoutSessionDoc, CustomerDoc, OfferDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { siblingId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { findLive } from '../actors/notify-live.ts';
import { redeem } from '../coupons/redemptions.ts';
import { claimKey, storedKey, subscriptionKeyId } from '../resources/idempotency.ts';
import { acceptedBy, type CreateSubscription, type Parties, subscriptionOf } from '../subscriptions/opening.ts';
import { replacesIn } from './complete.ts';
import type { CheckoutDeps } from './deps.ts';
import { sendSignature } from './send-signature.ts';

/** How many ids are checked at once. */
const IDS_AT_ONCE = 16;

/** How often the next id is searched for while others take it. */
const ATTEMPTS_MAX = 8;

export interface Subscribed {
  readonly subscription: ActorDoc;
  /** True if it existed before this session. */
  readonly isExisting: boolean;
}

/** The customer's live subscription to this price, or null (docs/rules.md, "Operators, consent, allowances"). */
export function liveSubscription(
  store: Store,
  tenant: Tenant,
  customerId: string,
  priceId: string,
): Promise<ActorDoc | null> {
  return findLive(store, tenant, { 'attributes.customerId': customerId, 'context.terms.priceId': priceId });
}

/**
 * The subscription of a session: the customer's live one to that price, else a new one. The new id follows from
 * customer, price and the number of earlier ones, so concurrent calls create the same subscription. null: the text was
 * for a subscription that has ended or now has other terms. Its mandate cannot serve another one, which would count the
 * same cycles.
 */
export async function subscriptionFor(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  offer: OfferDoc,
  customer: CustomerDoc,
): Promise<Subscribed | null> {
  const { priceId } = session.terms;
  const isForNew = session.replaces === undefined || session.replaces.length === 0;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const live = await liveSubscription(deps.store, session, customer._id, priceId);
    if (live !== null) return { subscription: live, isExisting: !isMadeBy(session, live) };
    if (!isForNew) return null;
    const mine = await madeBy(deps.store, session);
    if (mine !== null) return { subscription: mine, isExisting: false };
    const id = await claimId(deps, session, await nextId(deps.store, customer._id, priceId));
    const made = subscriptionIn(deps, id, session, offer, customer, await discountIn(deps, id, session, customer));
    const [created] = await deps.engine.create('subscription', [made]);
    if (created?.kind === 'created') return { subscription: created.doc, isExisting: false };
  }
  throw internalFault(`${session._id} found no free id for its subscription in ${ATTEMPTS_MAX} attempts`);
}

/**
 * Makes the last signer the payer, whichever wallet was billed before (docs/rules.md, "Operators, consent,
 * allowances"). Does nothing if the subscription is in another token than the signed text. False: a payer has signed
 * since the text was issued, and nothing has changed.
 */
export async function authorizePayer(
  deps: CheckoutDeps,
  subscription: ActorDoc,
  { wallet, consent, replaces, terms }: CheckoutSessionDoc,
): Promise<boolean> {
  if (wallet === null || subscriptionContextOf(subscription).terms.tokenKey !== terms.tokenKey) return true;
  const signed = { ...consentIn(consent), ...replacesIn(replaces) };
  const result = await sendSignature(deps, subscription._id, { type: 'payer.authorized', wallet, ...signed });
  return result.kind !== 'overtaken';
}

/** The subscription that this session created, even if it has ended since. */
async function madeBy(store: Store, session: CheckoutSessionDoc): Promise<ActorDoc | null> {
  const known = await storedKey(store.records, subscriptionKeyId(session, keyOf(session)));
  const doc = known && (await tenantStore(store, session).actor('subscription', known.actorId));
  return doc !== null && isMadeBy(session, doc) ? doc : null;
}

/**
 * The id that the session may create. Its key may name one that another session of the customer has created before it;
 * then it names this one from now on.
 */
async function claimId({ store, clock }: CheckoutDeps, session: CheckoutSessionDoc, id: string): Promise<string> {
  const _id = subscriptionKeyId(session, keyOf(session));
  const key = await claimKey(store, { _id, merchantId: session.merchantId, actorId: id, createdAt: clock() });
  const [taken] = key.actorId === id ? [] : await store.actors.load('subscription', [key.actorId]);
  if (taken === undefined || isMadeBy(session, taken)) return key.actorId;
  const moved = await store.records.change('idempotencyKeys', _id, { actorId: key.actorId }, { set: { actorId: id } });
  return moved?.actorId ?? key.actorId;
}

function isMadeBy(session: CheckoutSessionDoc, subscription: ActorDoc): boolean {
  return subscriptionAttributes.parse(subscription.attributes).idempotencyKey === keyOf(session);
}

/** The idempotency key of a session's resources, visible to the merchant. */
export function keyOf({ _id }: CheckoutSessionDoc): string {
  return `${KEY}${_id}`;
}

/** The session whose checkout made this idempotency key; empty if a merchant made it. */
export function sessionOfKey(key: string): string[] {
  return key.startsWith(KEY) ? [key.slice(KEY.length)] : [];
}

const KEY = 'checkout:';

/** The first id without a subscription that has ended or now has other terms. */
async function nextId(store: Store, customerId: string, priceId: string): Promise<string> {
  for (let first = 0; ; first += IDS_AT_ONCE) {
    const ids = Array.from({ length: IDS_AT_ONCE }, (_, index) =>
      siblingId('sub', customerId, `${priceId}:${first + index}`),
    );
    const there = new Map((await store.actors.load('subscription', ids)).map((doc) => [doc._id, doc]));
    const free = ids.find((id) => {
      const doc = there.get(id);
      return doc === undefined || (isLive(doc) && subscriptionContextOf(doc).terms.priceId === priceId);
    });
    if (free !== undefined) return free;
  }
}

/** Counts the redemption of the session's coupon. Throws 400 if it gives nothing any more. */
async function discountIn(
  deps: CheckoutDeps,
  id: string,
  session: CheckoutSessionDoc,
  customer: CustomerDoc,
): Promise<Pick<Parties, 'discount'>> {
  const { couponId, tokenKey } = session.terms;
  if (couponId === undefined) return {};
  const use = { offerId: session.offerId, tokenKey, customerId: customer._id, subscriptionId: id };
  return { discount: await redeem(deps, session, couponId, use) };
}

function subscriptionIn(
  deps: CheckoutDeps,
  id: string,
  session: CheckoutSessionDoc,
  offer: OfferDoc,
  customer: CustomerDoc,
  discount: Pick<Parties, 'discount'>,
) {
  const { priceId, tokenKey, quantity = null } = session.terms;
  const option = offer.pricing.find((each) => each.id === priceId);
  if (!option) throw invalid('priceId is not a pricing option of this offer');
  const input: CreateSubscription = {
    priceId,
    customerId: customer._id,
    offerId: offer._id,
    tokenKey,
    quantity,
    couponId: session.terms.couponId ?? null,
    customVariables: session.collected.others,
    affiliate: null,
    idempotencyKey: keyOf(session),
    requestHash: session.requestHash,
  };
  const parties = { offer, option, token: acceptedBy(option, tokenKey), quantity, customer, ...discount };
  const { wallet, consent, chargeSecret } = session;
  const payer = { wallet, ...consentIn(consent), ...(chargeSecret === undefined ? {} : { chargeSecret }) };
  return { ...subscriptionOf(id, parties, input, payer, deps.clock()), by: 'checkout' };
}
