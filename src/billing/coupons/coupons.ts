import type { Discount } from '../../../machines/rules/discount.ts';
import { hundredths } from '../../../machines/rules/money.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { parseAmount } from '../../model/amounts.ts';
import { type CreatedRange, createdIn, type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import type { CouponDoc, RedemptionDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { type Created, earlierOf, type Keyed } from '../resources/idempotency.ts';

export type CouponDeps = Pick<BillingDeps, 'store' | 'catalog' | 'clock'>;

type Stored = Pick<CouponDeps, 'store'>;

type Made = '_id' | 'rev' | 'active' | 'redemptions' | 'moving' | 'createdAt' | 'updatedAt' | keyof Tenant;

/** A checked POST /coupons. */
type NewCoupon = Omit<CouponDoc, Made> & Keyed;

/** Throws 400 for a discount that cannot be, and 409 if another coupon has the code. */
export async function createCoupon(deps: CouponDeps, tenant: Tenant, input: NewCoupon): Promise<Created<CouponDoc>> {
  const made = (await earlierOf(deps.store, 'coupons', tenant, input)) ?? (await insertCoupon(deps, tenant, input));
  // From now on the checkout asks for codes. Also of a replay: its first call may have died before this.
  if (made.resource.code !== null) {
    const { merchantId, mode } = tenant;
    await deps.store.records.change('merchants', merchantId, {}, { set: { [`takesCodes.${mode}`]: true } });
  }
  return made;
}

async function insertCoupon(deps: CouponDeps, tenant: Tenant, input: NewCoupon): Promise<Created<CouponDoc>> {
  const { merchantId, mode } = tenant;
  const code = input.code?.toUpperCase() ?? null;
  requireOff(deps.catalog, input);
  for (const id of input.offerIds ?? []) {
    const offer = await tenantStore(deps.store, tenant).record('offers', id);
    if (offer === null || offer.deletedAt !== null) throw invalid(`offerIds names ${id}, which is no offer of yours`);
  }
  const now = deps.clock();
  const counted = { active: true, redemptions: 0, moving: null, rev: 1, createdAt: now, updatedAt: now };
  const coupon = { _id: newId('cpn', now), merchantId, mode, ...input, code, ...counted };
  const [verdict] = await deps.store.records.insert('coupons', [coupon]);
  if (!verdict?.inserted) {
    // A twin with the same key and code may be reported by either index: the key decides.
    const twin = await earlierOf(deps.store, 'coupons', tenant, input);
    if (twin !== null) return twin;
    throw conflict(`A coupon with the code "${code}" already exists`);
  }
  return { resource: coupon, replayed: false, mismatch: false };
}

function requireOff(catalog: Catalog, { percentOff, amountOff, ticker }: NewCoupon): void {
  if ((percentOff === null) === (amountOff === null))
    throw invalid('percentOff or amountOff is required, and not both');
  if (percentOff !== null && hundredths(percentOff) === 0n) throw invalid('percentOff must be more than 0');
  if (amountOff === null) return;
  if (ticker === null) throw invalid('ticker is required with amountOff: that of a token, such as USDC');
  const tokens = catalog.chains.flatMap((chain) => chain.tokens).filter((token) => token.ticker === ticker);
  if (tokens.length === 0) throw invalid('ticker must be that of a token of GET /currencies, such as USDC');
  if (tokens.some((token) => parseAmount(amountOff, token, 'amountOff') === 0n))
    throw invalid('amountOff must be more than 0');
}

/** Throws 404, which names the field that the id was in. */
export async function requireCoupon({ store }: Stored, tenant: Tenant, id: string, field?: string): Promise<CouponDoc> {
  const coupon = await tenantStore(store, tenant).record('coupons', id);
  if (coupon === null) throw notFound(field);
  return coupon;
}

interface CouponFilter extends Page {
  readonly code?: string | undefined;
  readonly active?: boolean | undefined;
  readonly created?: CreatedRange | undefined;
}

/** Newest first. Throws 400 for an unknown `startingAfter`. */
export function listCoupons(
  { store }: Stored,
  tenant: Tenant,
  { code, active, created, ...page }: CouponFilter,
): Promise<ListPage<CouponDoc>> {
  const own = tenantStore(store, tenant);
  const where = { ...compact({ code: code?.toUpperCase(), active }), ...createdIn(created) };
  return readPage(page, {
    sort: NEWEST_FIRST,
    get: (id) => own.record('coupons', id),
    find: (query) => own.find('coupons', { where, ...query }),
  });
}

/** The redemptions of a coupon, newest first. Throws 404, and 400 for an unknown `startingAfter`. */
export async function listRedemptions(
  deps: Stored,
  tenant: Tenant,
  couponId: string,
  page: Page,
): Promise<ListPage<RedemptionDoc>> {
  await requireCoupon(deps, tenant, couponId);
  const own = tenantStore(deps.store, tenant);
  return readPage(page, {
    sort: NEWEST_FIRST,
    get: (holderId) => own.record('redemptions', redemptionIdOf(couponId, holderId)),
    find: (query) => own.find('redemptions', { where: { couponId }, ...query }),
  });
}

/** Redemptions stay as they are. Throws 404. */
export async function setActive(
  deps: CouponDeps,
  { merchantId, mode }: Tenant,
  id: string,
  active: boolean,
): Promise<CouponDoc> {
  const change = { set: { active, updatedAt: deps.clock() }, inc: { rev: 1 } };
  const changed = await deps.store.records.change('coupons', id, { merchantId, mode }, change);
  if (changed === null) throw notFound();
  return changed;
}

/** Carries coupon and subscription, or the session of a payment, so each redeems a coupon once. */
export function redemptionIdOf(couponId: string, holderId: string): string {
  return `${couponId}:${holderId}`;
}

/** What a coupon is to be redeemed for. */
export interface CouponUse {
  readonly offerId: string;
  readonly tokenKey: string;
  /** null: not known yet. */
  readonly customerId: string | null;
}

/** The discount that a coupon gives as of now, if a redemption is left. Throws 400 with the reason if it gives none. */
export async function discountOf(
  deps: CouponDeps,
  coupon: CouponDoc,
  { offerId, tokenKey, customerId }: CouponUse,
): Promise<Discount> {
  const { _id: couponId, code, active, expiresAt, offerIds, firstTimeOnly, cycles: cyclesLeft } = coupon;
  const off = offIn(deps.catalog, coupon, tokenKey);
  if (!active) throw invalid('This coupon has ended');
  if (expiresAt !== null && expiresAt <= deps.clock()) throw invalid('This coupon has expired');
  if (offerIds !== null && !offerIds.includes(offerId)) throw invalid('This coupon is for another offer');
  if (off === null) throw invalid('This coupon is for payments in another token');
  const isOld = firstTimeOnly && customerId !== null && (await hasPaid(deps, coupon, customerId));
  if (isOld) throw invalid('This coupon is for new customers only');
  return { couponId, code, off, cyclesLeft };
}

/** The coupon with the code that a payer has typed, if a redemption is left. Throws 400. */
export async function couponByCode({ store }: Stored, tenant: Tenant, code: string): Promise<CouponDoc> {
  const [coupon] = await tenantStore(store, tenant).find('coupons', { where: { code: code.toUpperCase() }, limit: 1 });
  if (coupon === undefined) throw invalid('This code is not valid');
  if (isUsedUp(coupon)) throw usedUp();
  return coupon;
}

export const usedUp = () => invalid('This coupon has been used up');

export function isUsedUp({ redemptions, maxRedemptions }: CouponDoc): boolean {
  return maxRedemptions !== null && redemptions >= maxRedemptions;
}

/** null: an amount of another token. */
function offIn(
  catalog: Catalog,
  { percentOff, amountOff, ticker }: CouponDoc,
  tokenKey: string,
): Discount['off'] | null {
  if (percentOff !== null) return { kind: 'percent', bps: Number(hundredths(percentOff)) };
  const token = catalog.tokenByKey(tokenKey);
  if (amountOff === null || token?.ticker !== ticker) return null;
  return { kind: 'amount', tokenKey, amount: parseAmount(amountOff, token, 'amountOff').toString(), shown: amountOff };
}

async function hasPaid({ store }: Stored, tenant: Tenant, customerId: string): Promise<boolean> {
  const where = { 'attributes.customerId': customerId, status: 'settled' };
  return (await tenantStore(store, tenant).findActors('payment', { where, limit: 1 })).length > 0;
}
