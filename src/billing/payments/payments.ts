import { newPayment } from '../../../machines/payment/context.ts';
import { divide } from '../../../machines/rules/money.ts';
import { isNativeCoin } from '../../chains/charges.ts';
import type { Create, SentBy } from '../../engine/types.ts';
import { conflict, internalFault, invalid, notFound } from '../../errors/fault.ts';
import type { Affiliate } from '../../model/affiliate.ts';
import { newChargeSecret, openConsent } from '../../model/consent.ts';
import { isByBalance, leftOf } from '../../model/deposit.ts';
import {
  type CreatedRange,
  createdIn,
  type ListPage,
  type Metadata,
  metadataIn,
  NEWEST_FIRST,
  type Page,
  readPage,
} from '../../model/lists.ts';
import {
  type PaymentAttributes,
  type PaymentMethod,
  type PaymentSource,
  type PaymentStatus,
  paymentAttributes,
  paymentContextOf,
} from '../../model/payment.ts';
import { compact, pick } from '../../model/pick.ts';
import type { ChainFamily, DepositArrival } from '../../store/collections.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../store/documents.ts';
import { newId, paymentIdOf } from '../../store/ids.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { outcomeDeadline } from '../actors/outcome.ts';
import { requireTaken } from '../actors/refusals.ts';
import { requireMerchant } from '../administration/account.ts';
import { requireCustomer } from '../customers/customers.ts';
import type { DepositWatcher } from '../deposits/deposit-watcher.ts';
import { type OpenedDeposit, openDeposit } from '../deposits/open.ts';
import type { BillingDeps } from '../deps.ts';
import { type BudgetHolder, spend } from '../resources/budgets.ts';
import { type Created, claimKey, type KeyDoc, storedKey } from '../resources/idempotency.ts';
import { countedTotals, type Sum, sumsOf, type Totals } from '../resources/totals.ts';

export interface PaymentsDeps extends BillingDeps {
  readonly deposits: Pick<DepositWatcher, 'check'>;
}

/** What distinguishes one POST /payments from another. */
export type PaymentKey = Pick<CreatePayment, 'idempotencyKey' | 'requestHash'>;

/** A checked POST /payments: addresses suit the chain, `amount` is in base units and more than zero. */
export interface CreatePayment {
  readonly tokenKey: string;
  readonly chainId: number;
  readonly family: ChainFamily;
  readonly amount: bigint;
  readonly paymentMethod: PaymentMethod;
  readonly customerId: string | null;
  readonly toWallet: string;
  /** null only for a `wallet_transfer`. */
  readonly fromWallet: string | null;
  readonly refundWallet: string | null;
  readonly affiliate: Affiliate | null;
  readonly metadata: Metadata;
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

export interface PaymentFilter extends Page {
  readonly status?: PaymentStatus | undefined;
  readonly source?: PaymentSource | undefined;
  readonly customerId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly offerId?: string | undefined;
  /** Of all of these. Only one-off payments have any. */
  readonly metadata?: Metadata | undefined;
  readonly created?: CreatedRange | undefined;
}

/**
 * Throws 404 for an unknown id, and 409 for a cycle's payment, one that is not pending, one whose charge has been
 * started, and one whose deposit address has received money.
 */
export async function cancelPayment(
  deps: PaymentsDeps,
  tenant: Tenant,
  spelling: string,
  by: SentBy,
): Promise<ActorDoc> {
  const found = await requirePayment(deps, tenant, spelling);
  const { _id: id } = found;
  const { subscriptionId, paymentMethod } = paymentAttributes.parse(found.attributes);
  const isTransfer = paymentMethod === 'wallet_transfer';
  const needs = `pending with no charge started${isTransfer ? ' and nothing sent to its deposit address' : ''}`;
  // A deposit that was just sent may not have been noticed yet.
  if (isTransfer) await deps.deposits.check([id]);
  const seen = isTransfer ? await withoutOtherMoney(deps, found, needs) : found;
  const result = await deps.engine.dispatch({ kind: 'payment', id, event: { type: 'cancel.requested' }, by, seen });
  if (result.kind === 'refused' && subscriptionId !== null) {
    throw conflict(`Payment is a cycle of ${subscriptionId} and cannot be canceled alone; cancel the subscription`);
  }
  const doc = requireTaken(result, { name: 'cancel', needs });
  await deps.engine.completed(id);
  return doc;
}

/**
 * Returns the payment as it is after the check of its address, which may have changed it. Throws 409 if it is pending
 * and its address has valuable money that its machine does not count.
 */
async function withoutOtherMoney(
  { store, catalog }: BillingDeps,
  found: StoredActor,
  needs: string,
): Promise<StoredActor> {
  const [[payment = found], [deposit]] = await Promise.all([
    store.actors.load('payment', [found._id]),
    store.records.get('deposits', [found._id]),
  ]);
  if (payment.status !== 'pending' || deposit === undefined) return payment;
  const tokens = catalog.chain(deposit.chainId)?.tokens ?? [];
  const isWorth = ({ token }: DepositArrival) => isNativeCoin(token) || tokens.some(({ address }) => address === token);
  const [other] = deposit.arrivals.filter((each) => isByBalance(each) && leftOf(each) > 0n && isWorth(each));
  if (other === undefined) return payment;
  const what = isNativeCoin(other.token) ? 'the native coin lies' : `${other.token} lies`;
  throw conflict(`Payment is pending, and ${what} at its deposit address; cancel needs ${needs}`);
}

/** The tenant's payment, by any of its three spellings. Throws 404. */
export async function requirePayment(
  deps: Pick<BillingDeps, 'store'>,
  tenant: Tenant,
  spelling: string,
): Promise<StoredActor> {
  const doc = await tenantStore(deps.store, tenant).actor('payment', paymentIdOf(spelling));
  if (!doc) throw notFound();
  return doc;
}

/**
 * Resolves when the outcome is known, or with the pending payment after 25 s. Throws 400, 404, 409, and 429 if it uses
 * a new wallet and the merchant's budget of those is spent.
 */
export async function createPayment(
  deps: BillingDeps,
  tenant: Tenant,
  input: CreatePayment,
): Promise<Created<ActorDoc>> {
  requireChargeable(deps, tenant, input);
  if (input.customerId !== null) await requireCustomer(deps.store, tenant, input.customerId, 'customerId');
  const merchant = await requireMerchant(deps.store.records, tenant.merchantId);
  await spendNewWallets(deps, tenant, merchant, input);
  const id = await claimId(deps, tenant, input);
  const named = { paymentId: id, ...newChargeSecret(deps.catalog.tokenByKey(input.tokenKey)?.family) };
  const deposit = input.paymentMethod === 'wallet_transfer' ? await openDeposit(deps, tenant, input, named) : null;
  const [created] = await deps.engine.create('payment', [paymentOf(named, tenant, input, merchant.feeBps, deposit)]);
  const replayed = created?.kind !== 'created';
  const answer = await answerOf(deps, id, input);
  if (!answer) throw internalFault(`${id} was created, but cannot be read`);
  return { ...answer, replayed, mismatch: replayed && answer.mismatch };
}

/**
 * The payment that this key has created, once its outcome is known; null: none yet. Call it before the request is
 * checked against catalog and chains, which may have changed since. Throws 409 if the key is another merchant's.
 */
export async function earlierPayment(
  deps: BillingDeps,
  tenant: Tenant,
  key: PaymentKey,
): Promise<Created<ActorDoc> | null> {
  const id = await paymentOfKey(deps, tenant, key);
  return id === null ? null : answerOf(deps, id, key);
}

/** The answer to a repeated request; null: the payment does not exist, though its key may be stored. */
async function answerOf(deps: BillingDeps, id: string, { requestHash }: PaymentKey): Promise<Created<ActorDoc> | null> {
  const doc = await deps.engine.when('payment', id, isAnswer, outcomeDeadline(deps.engine));
  if (!doc) return null;
  const mismatch = paymentAttributes.parse(doc.attributes).requestHash !== requestHash;
  return { resource: doc, replayed: true, mismatch };
}

/** The id of the payment that this key creates. Merchants share the keys of a mode. Throws 409 if another has it. */
async function claimId(deps: BillingDeps, tenant: Tenant, input: CreatePayment): Promise<string> {
  const now = deps.clock();
  const key = { _id: keyId(tenant, input), merchantId: tenant.merchantId, actorId: newId('pay', now), createdAt: now };
  return idIn(tenant, await claimKey(deps.store, key));
}

/** The payment that this key has created or will create. Throws 409 if the key is another merchant's. */
async function paymentOfKey(deps: BillingDeps, tenant: Tenant, key: PaymentKey): Promise<string | null> {
  const known = await storedKey(deps.store.records, keyId(tenant, key));
  return known && idIn(tenant, known);
}

function idIn(tenant: Tenant, { merchantId, actorId }: Pick<KeyDoc, 'merchantId' | 'actorId'>): string {
  if (merchantId !== tenant.merchantId) throw conflict('idempotencyKey already used');
  return actorId;
}

function keyId({ mode }: Tenant, { idempotencyKey }: PaymentKey): string {
  return `${mode}:${idempotencyKey}`;
}

function requireChargeable({ catalog, chains }: BillingDeps, { mode }: Tenant, input: CreatePayment): void {
  const answer = catalog.play(input.tokenKey, mode);
  if (!answer.ok || !chains.get(answer.play.chainId)?.enabled) {
    throw invalid(`tokenKey is on a chain that is not enabled: "${input.tokenKey}"`);
  }
}

/** True once the outcome is known. A `wallet_transfer` is answered at once, because its payer needs the address. */
function isAnswer(doc: ActorDoc): boolean {
  const { status } = doc;
  return status === 'settled' || status === 'failed' || status === 'canceled' || paymentContextOf(doc).deposit !== null;
}

function paymentOf(
  { paymentId: id, chargeSecret }: { readonly paymentId: string; readonly chargeSecret?: string },
  { merchantId, mode }: Tenant,
  input: CreatePayment,
  feeBps: number,
  deposit: OpenedDeposit | null,
): Create {
  const { platformAmount, merchantAmount } = divide(input.amount, feeBps, []);
  const attributes: PaymentAttributes = {
    source: 'one_time',
    ...pick(input, 'customerId', 'tokenKey', 'chainId', 'paymentMethod', 'refundWallet'),
    ...pick(input, 'idempotencyKey', 'requestHash'),
    subscriptionId: null,
    cycle: null,
    offerId: null,
    priceId: null,
    platformAmount: platformAmount.toString(),
    merchantAmount: merchantAmount.toString(),
    feeBps,
    splits: [],
    destination: null,
    affiliatePartnerId: input.affiliate?.partnerId ?? null,
    affiliateCommissionPct: input.affiliate?.commissionPct ?? null,
    metadata: { ...input.metadata },
    ...(deposit === null ? {} : { depositSince: deposit.since }),
    ...(chargeSecret === undefined ? {} : { chargeSecret }),
  };
  const context = newPayment({
    id,
    cycleOf: null,
    amount: input.amount.toString(),
    ...pick(input, 'fromWallet', 'toWallet'),
    forcedFailure: null,
    ...(deposit === null ? {} : { ...openConsent(deposit.router), deposit: deposit.terms }),
  });
  return { kind: 'payment', id, merchantId, mode, attributes, context, by: 'api' };
}

/** Only one-off payments have metadata; the index has no others. */
function ofOneOffs(metadata: Metadata | undefined): TenantWhere {
  const where = metadataIn('attributes.metadata', metadata);
  return Object.keys(where).length === 0 ? {} : { 'attributes.source': 'one_time', ...where };
}

/** Newest first. Throws 400 for an unknown `startingAfter`. */
export function listPayments(
  { store }: Pick<BillingDeps, 'store'>,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<ListPage<ActorDoc>> {
  const own = tenantStore(store, tenant);
  const where = conditionOf(filter);
  return readPage<ActorDoc>(filter, {
    sort: NEWEST_FIRST,
    get: (spelling) => own.actor('payment', paymentIdOf(spelling)),
    find: (query) => own.findActors('payment', { where, ...query }),
  });
}

/** How many a filter finds, and the sums of the settled and of the failed ones, if not too many match. */
export async function totalPayments(
  deps: Pick<BillingDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  filter: Omit<PaymentFilter, keyof Page>,
): Promise<Totals & { readonly sums: readonly Sum[] }> {
  const where = conditionOf(filter);
  const own = tenantStore(deps.store, tenant);
  const totals = await countedTotals((atMost) => own.countActors('payment', where, atMost));
  return { ...totals, sums: totals.hasMore ? [] : await sumsOf(deps, tenant, where) };
}

function conditionOf({
  status,
  source,
  customerId,
  subscriptionId,
  offerId,
  metadata,
  created,
}: Omit<PaymentFilter, keyof Page>): TenantWhere {
  return {
    ...ofOneOffs(metadata),
    ...compact({
      status,
      'attributes.source': source,
      'attributes.customerId': customerId,
      'attributes.subscriptionId': subscriptionId,
      'attributes.offerId': offerId,
    }),
    ...createdIn(created),
  };
}

/**
 * Takes a payment from or to a wallet that no payment of this merchant and mode has used before from the merchant's
 * budget. Throws 429. A payment to a deposit address always counts: nobody knows its payer.
 */
async function spendNewWallets(
  deps: Pick<BillingDeps, 'store' | 'clock'>,
  tenant: Tenant,
  merchant: BudgetHolder,
  { fromWallet, toWallet }: { readonly fromWallet: string | null; readonly toWallet: string },
): Promise<void> {
  const { findActors } = tenantStore(deps.store, tenant);
  const isUsed = async (path: string, wallet: string) =>
    (await findActors('payment', { where: { [path]: wallet }, limit: 1 })).length > 0;
  const isFromUsed = fromWallet !== null && (await isUsed('context.fromWallet', fromWallet));
  if (isFromUsed && (await isUsed('context.toWallet', toWallet))) return;
  await spend(deps, merchant, { mode: tenant.mode, budget: 'newWalletsPerDay' });
}
