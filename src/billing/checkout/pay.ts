import { newPayment } from '../../../machines/payment/context.ts';
import { lessDiscount } from '../../../machines/rules/discount.ts';
import { divide } from '../../../machines/rules/money.ts';
import type { Deferral } from '../../../machines/subscription/context.ts';
import { discountedIn } from '../../../machines/subscription/discount.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import type { Create } from '../../engine/types.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { consentIn, feeUnder, mandateIn, openConsent, operatorConsent, payeeUnder } from '../../model/consent.ts';
import { unitsLeft } from '../../model/offer.ts';
import { type PaymentAttributes, paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import type { CheckoutSessionDoc, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { derivedId, partitionOf } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { noteRedeemed, releaseRedemption } from '../coupons/redemptions.ts';
import { type OpenedDeposit, openDeposit } from '../deposits/open.ts';
import type { BillingDeps } from '../deps.ts';
import { mandatesOf } from '../mandates/mandates.ts';
import { releaseUnits, reserveUnits } from '../offers/inventory.ts';
import { payerState } from './payer-state.ts';
import { firstCharge, type PurchaseCharge, requestedAllowance } from './requested-allowance.ts';
import { keyOf, sessionOfKey } from './subscribe.ts';
import { findTokenOnChain, type TokenOnChain } from './token-on-chain.ts';

/** The most payments per session. It ends sessions whose payments fail although the chain shows enough money. */
const PAYMENTS_MAX = 10;

/** The obstacle that a payer or merchant has to remove; `next_attempt` and `chain` need only time. */
export type WaitsFor = 'allowance' | 'balance' | 'deposit' | 'next_attempt' | 'chain' | Deferral;

type Step =
  | { readonly kind: 'close'; readonly how: NonNullable<CheckoutSessionDoc['closed']> }
  /** Its payment is under way. */
  | { readonly kind: 'follow' }
  | { readonly kind: 'wait'; readonly for: WaitsFor }
  /** `isNoted`: the session has its id already, but the process died before it created the payment. */
  | { readonly kind: 'pay'; readonly paymentId: string; readonly toWallet: string; readonly isNoted: boolean };

/**
 * Advances payment sessions. Each creates its payment when the allowance suffices, and after a failure another one when
 * the chain shows that it would succeed (docs/rules.md, "Checkout API": One-time offers). The page, a log of the wallet
 * and the watch's schedule call this. However often they do, a session has one payment at a time.
 */
export async function checkSessions(deps: BillingDeps, ids: readonly string[]): Promise<void> {
  const sessions = await deps.store.records.get('checkoutSessions', ids);
  const there = new Set(sessions.map(({ _id }) => _id));
  const gone = ids.filter((id) => !there.has(id));
  if (gone.length > 0) await deps.store.records.remove('watches', gone);
  await Promise.all(
    sessions.map((session) =>
      bringOn(deps, session).catch((error: unknown) => {
        deps.log.warn(
          { err: error, session: session._id },
          'a checkout session could not be advanced; its next check tries again',
        );
      }),
    ),
  );
}

/** Closes the sessions that these payments, which have ended, end for good. Reads no chain; tries no other payment. */
export async function endSessions(deps: BillingDeps, paymentIds: readonly string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  const payments = new Map((await deps.store.actors.load('payment', paymentIds)).map((doc) => [doc._id, doc]));
  const keys = [...payments.values()].flatMap(
    ({ attributes }) => paymentAttributes.parse(attributes).idempotencyKey ?? [],
  );
  const sessions = await deps.store.records.get('checkoutSessions', keys.flatMap(sessionOfKey));
  for (const session of sessions) {
    const last = payments.get(session.paymentIds.at(-1) ?? '');
    const step = last === undefined ? null : stepAfter(last, session);
    if (step?.kind === 'close') await close(deps, session, session.closed ?? step.how);
  }
}

async function bringOn(deps: BillingDeps, session: CheckoutSessionDoc): Promise<void> {
  if (session.kind !== 'payment') return;
  const step = await nextStep(deps, session);
  switch (step.kind) {
    case 'close':
      return close(deps, session, step.how);
    case 'follow':
    case 'wait':
      return;
    case 'pay':
      return pay(deps, session, step);
    default:
      return unknownCase(step, 'step');
  }
}

/** The next step of a payment session. Changes nothing. */
export async function nextStep(deps: BillingDeps, session: CheckoutSessionDoc): Promise<Step> {
  if (session.closed !== null) return { kind: 'close', how: session.closed };
  const lastId = session.paymentIds.at(-1);
  const [last] = lastId === undefined ? [] : await deps.store.actors.load('payment', [lastId]);
  const after = last === undefined ? null : stepAfter(last, session);
  if (after !== null) return after;
  const isNoted = lastId !== undefined && last === undefined;
  if (!isNoted && session.expiresAt <= deps.clock()) return { kind: 'close', how: 'expired' };
  return (await isAbandoned(deps, session)) ? { kind: 'close', how: 'failed' } : attempt(deps, session, isNoted);
}

/** The step that follows from the last payment alone; null: another payment may be tried. */
function stepAfter(last: ActorDoc, { paymentIds, wallet }: CheckoutSessionDoc): Step | null {
  switch (last.status) {
    case 'pending':
    case 'pulled':
      return { kind: 'follow' };
    case 'settled':
      return { kind: 'close', how: 'settled' };
    case 'failed': {
      const reason = paymentContextOf(last).failureReason;
      // The payer knows no other deposit address, so another payment would wait for nothing.
      if (wallet === null) return { kind: 'close', how: 'failed' };
      const isMendable = reason === 'insufficient_allowance' || reason === 'insufficient_balance';
      return isMendable && paymentIds.length < PAYMENTS_MAX ? null : { kind: 'close', how: 'failed' };
    }
    default:
      return { kind: 'close', how: 'failed' };
  }
}

/** True if its customer or its offer has been deleted. */
async function isAbandoned({ store }: BillingDeps, { customerId, offerId }: CheckoutSessionDoc): Promise<boolean> {
  const [[customer], [offer]] = await Promise.all([
    customerId === null ? [] : store.records.get('customers', [customerId]),
    store.records.get('offers', [offerId]),
  ]);
  return (customer !== undefined && customer.deletedAt !== null) || (offer !== undefined && offer.deletedAt !== null);
}

async function attempt(deps: BillingDeps, session: CheckoutSessionDoc, isNoted: boolean): Promise<Step> {
  const { tokenKey, chainId, destination } = session.terms;
  const [merchant] = await deps.store.records.get('merchants', [session.merchantId]);
  if (merchant?.status !== 'active') return { kind: 'wait', for: 'merchant_suspended' };
  const token = findTokenOnChain(deps, session, tokenKey, operatorConsent(session.consent));
  if (token === null || session.customerId === null) return { kind: 'wait', for: 'not_enabled' };
  const target = { tokenKey, chainId, family: token.requested.family, fallback: destination };
  const toWallet = (await deps.payoutsOf([session])).destination(session, target);
  if (toWallet === null) return { kind: 'wait', for: 'no_payout_wallet' };
  if (isNoted) return { kind: 'pay', paymentId: session.paymentIds.at(-1) ?? '', toWallet, isNoted };
  const lacking = await lackingOf(deps, session, token);
  if (lacking !== null) return { kind: 'wait', for: lacking };
  const paymentId = nextPaymentId(session);
  const [offer] = await deps.store.records.get('offers', [session.offerId]);
  const isSoldOut = offer !== undefined && unitsLeft(offer) === 0 && !offer.holds.includes(paymentId);
  return isSoldOut ? { kind: 'wait', for: 'sold_out' } : { kind: 'pay', paymentId, toWallet, isNoted };
}

/**
 * The missing means, or null. A first payment needs the allowance, or a deposit. After a failure it needs the balance
 * too.
 */
async function lackingOf(
  deps: BillingDeps,
  session: CheckoutSessionDoc,
  token: TokenOnChain,
): Promise<WaitsFor | null> {
  const { wallet } = session;
  if (wallet === null) return null;
  const allowance = await requestedAllowance(deps, session, token, chargeOfPayment(session), wallet);
  const payer = await payerState(deps, allowance, wallet);
  if (payer === null) return 'chain';
  if (payer.missingAllowance > 0n) return 'allowance';
  return session.paymentIds.length > 0 && payer.missingBalance > 0n ? 'balance' : null;
}

/** The purchase of a one-time offer: one charge, after those of all authorized subscriptions. */
export function chargeOfPayment({ terms }: CheckoutSessionDoc): PurchaseCharge {
  return firstCharge({ offerName: terms.offerName, amount: amountOf(terms).toString(), cycles: 1, isDue: true });
}

/** What a payment takes, in base units: the price, less the discount. */
function amountOf(terms: CheckoutSessionDoc['terms']): bigint {
  return lessDiscount(terms.discount, terms);
}

/** The id is the same for the same attempt in every process. */
function nextPaymentId({ _id, createdAt, paymentIds }: CheckoutSessionDoc): string {
  return derivedId('pay', createdAt, `${_id}:${paymentIds.length + 1}`);
}

/**
 * Reserves a unit if a wallet has signed, then notes the payment in the session, then creates it. If the process dies
 * in between, the next check continues with the same ids.
 */
async function pay(
  deps: BillingDeps,
  session: CheckoutSessionDoc,
  { paymentId, toWallet, isNoted }: Extract<Step, { kind: 'pay' }>,
): Promise<void> {
  const { store, engine } = deps;
  if (!isNoted) {
    if (!(await reserves(store, session, paymentId))) return;
    const note = { set: { rev: session.rev + 1 }, push: { paymentIds: [paymentId] } };
    const noted = await store.records.change('checkoutSessions', session._id, { rev: session.rev }, note);
    if (noted === null) return releaseIfClosed(deps, session._id);
  }
  const [merchant] = await store.records.get('merchants', [session.merchantId]);
  if (!merchant) throw new Error(`${session._id}: its merchant ${session.merchantId} does not exist`);
  const due = { tokenKey: session.terms.tokenKey, amount: amountOf(session.terms) };
  const deposit =
    session.wallet === null
      ? await openDeposit(deps, session, due, { paymentId, chargeSecret: session.chargeSecret })
      : null;
  const mandate = mandateIn(await mandatesOf(deps, [session.consent]), session.consent);
  const made = {
    id: paymentId,
    toWallet: payeeUnder(mandate, toWallet),
    feeBps: feeUnder(mandate, merchant.feeBps),
    agreementCycle: session.paymentIds.length + (isNoted ? 0 : 1),
  };
  await engine.create('payment', [paymentOf(session, made, deposit)]);
}

/** False: every unit is taken. A payment that no wallet has signed reserves its unit when its deposit has arrived. */
async function reserves(store: Store, { offerId, wallet }: CheckoutSessionDoc, paymentId: string): Promise<boolean> {
  return wallet === null || (await reserveUnits(store, offerId, [paymentId])).has(paymentId);
}

/**
 * Releases a reservation that was made after the session was closed. An open session uses it at its next check, or the
 * sweep releases it once its payment has ended (`expired-reservations.ts`).
 */
async function releaseIfClosed(deps: BillingDeps, sessionId: string): Promise<void> {
  const [now] = await deps.store.records.get('checkoutSessions', [sessionId]);
  if (now && now.closed !== null) await close(deps, now, now.closed);
}

/**
 * A closed session is cleaned up again, because the process that closed it, or reserved a unit for it, may have died.
 * Its watch goes last. Its redemption of a coupon is kept by a settled payment alone.
 */
async function close(
  { store, clock }: BillingDeps,
  session: CheckoutSessionDoc,
  how: NonNullable<CheckoutSessionDoc['closed']>,
): Promise<void> {
  if (session.closed === null) {
    const change = { set: { closed: how, rev: session.rev + 1 } };
    const closed = await store.records.change('checkoutSessions', session._id, { rev: session.rev }, change);
    if (closed === null) return;
  }
  await releaseUnits(store, session.offerId, [nextPaymentId(session)]);
  const { discount } = session.terms;
  const paymentId = session.paymentIds.at(-1);
  if (discount !== undefined && how === 'settled' && paymentId !== undefined)
    await noteRedeemed(store, discount.couponId, session._id, paymentId);
  else if (discount !== undefined) await releaseRedemption({ store, clock }, discount.couponId, session._id);
  await store.records.remove('watches', [session._id]);
}

interface NewPaymentOfSession {
  readonly id: string;
  readonly toWallet: string;
  readonly feeBps: number;
  /** The number of the payment within the session. */
  readonly agreementCycle: number;
}

function paymentOf(
  session: CheckoutSessionDoc,
  { id, toWallet, feeBps, agreementCycle }: NewPaymentOfSession,
  deposit: OpenedDeposit | null,
): Create {
  const { merchantId, mode, terms, collected } = session;
  const { amount = terms.amount, ...less } = discountedIn({ ...terms, terms });
  const { platformAmount, merchantAmount } = divide(BigInt(amount), feeBps, []);
  const attributes: PaymentAttributes = {
    source: 'one_time',
    ...pick(session, 'customerId', 'offerId', 'refundWallet', 'chargeSecret'),
    ...pick(terms, 'priceId', 'tokenKey', 'chainId'),
    subscriptionId: null,
    cycle: null,
    platformAmount: platformAmount.toString(),
    merchantAmount: merchantAmount.toString(),
    feeBps,
    splits: terms.splits.map(({ address, percentage }) => ({ address, percentage })),
    destination: null,
    paymentMethod: deposit === null ? 'wallet_connect' : 'wallet_transfer',
    affiliatePartnerId: null,
    affiliateCommissionPct: null,
    ...less,
    metadata: Object.fromEntries(Object.entries(collected.others).map(([key, value]) => [key, String(value)])),
    ...(deposit === null ? {} : { depositSince: deposit.since }),
    ...(session.consent === undefined ? {} : { agreementCycle }),
    idempotencyKey: keyOf(session),
    requestHash: null,
  };
  const context = newPayment({
    id,
    cycleOf: null,
    amount,
    fromWallet: session.wallet,
    ...consentIn(session.consent),
    toWallet,
    forcedFailure: null,
    unitOf: session.offerId,
    ...(deposit === null ? {} : { ...openConsent(deposit.router), deposit: deposit.terms }),
  });
  return { kind: 'payment', id, merchantId, mode, attributes, context, by: 'checkout' };
}

/**
 * Adds a watch, so that the session is checked without the page: by its wallet's approvals, or by deposits to its
 * payment's address. A later check also completes or ends the work of a process that died, such as a reserved unit.
 */
export async function watchSession(deps: BillingDeps, session: CheckoutSessionDoc): Promise<void> {
  const token = findTokenOnChain(deps, session, session.terms.tokenKey, operatorConsent(session.consent));
  if (token === null) return;
  const isTransfer = session.wallet === null;
  const account = paymentChargeKey(nextPaymentId(session), session.chargeSecret);
  const address = session.wallet ?? (await token.chain.openDeposit(account)).address;
  const wallet = comparableAddress(token.requested.family, address);
  const now = deps.clock();
  const watch: Omit<WatchDoc, '_id'> = {
    partition: partitionOf(wallet),
    merchantId: session.merchantId,
    mode: session.mode,
    chainId: token.play.chainId,
    token: token.play.token,
    operator: isTransfer ? null : token.operator,
    wallet,
    lookAt: now,
    looks: 0,
    endsAt: session.expiresAt,
    createdAt: now,
  };
  await deps.store.records.upsert('watches', session._id, watch, { set: { ...watch } });
}
