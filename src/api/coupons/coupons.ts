import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import * as coupons from '../../billing/coupons/coupons.ts';
import * as discounts from '../../billing/subscriptions/discount.ts';
import { answer, createdAnswer, endpoint } from '../../http/endpoint.ts';
import * as field from '../../http/input/fields.ts';
import {
  idSchema,
  isSandbox,
  merchantId,
  momentOrNull,
  momentsOf,
  pageEcho,
  pageView,
  storedKey,
} from '../../http/schemas.ts';
import { orNull } from '../../model/pick.ts';
import { requestHash, sameDecimal } from '../../model/request-hash.ts';
import type { CouponDoc, RedemptionDoc } from '../../store/collections.ts';
import { IDS, MOMENTS } from '../openapi/examples/ids.ts';
import { activeSubscription } from '../openapi/examples/subscription.ts';
import { subscriptionParams } from '../subscriptions/subscriptions.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';

const offerIds = z
  .array(field.text(100))
  .min(1, 'must name at least one offer')
  .max(100, 'must name at most 100 offers');

const TEXTS = {
  code: 'What payers type at the checkout, or `?coupon=` of its address; `null`: only you set it.',
  percentOff: 'The part of each charge that it takes off; `null`: `amountOff`.',
  amountOff: 'What it takes off each charge, in token units; `null`: `percentOff`.',
  ticker: 'With `amountOff`: it lowers charges in every token with this ticker, such as `USDC`; else `null`.',
  cycles:
    'How many charges of a subscription it lowers: 1 is once, `null` is for ever. It lowers the one charge of a one-time price.',
  expiresAt: 'From then on nobody redeems it; `null`: never.',
  maxRedemptions: 'The most redemptions; `null`: no limit.',
  offerIds: 'The offers that it is for; `null`: all.',
  firstTimeOnly: '`true`: only for customers who have paid nothing yet.',
} as const;

const body = z.object({
  code: field.couponCode.nullish().describe(TEXTS.code),
  percentOff: field.percentage.nullish().describe(TEXTS.percentOff),
  amountOff: field.amount.nullish().describe(TEXTS.amountOff),
  ticker: field.text(20).nullish().describe(TEXTS.ticker),
  cycles: field.integer(1, 1_000).nullable().describe(TEXTS.cycles),
  expiresAt: field.timestamp.nullish().describe(TEXTS.expiresAt),
  maxRedemptions: field.integer(1, 1_000_000_000).nullish().describe(TEXTS.maxRedemptions),
  offerIds: offerIds.nullish().describe(TEXTS.offerIds),
  firstTimeOnly: z.boolean().nullish().describe(TEXTS.firstTimeOnly),
  idempotencyKey: field.optionalKey,
});

export const couponSchema = z.strictObject({
  id: idSchema('cpn_').describe('The coupon.'),
  merchantId,
  code: z.string().nullable().describe(TEXTS.code),
  percentOff: z.string().nullable().describe(TEXTS.percentOff),
  amountOff: z.string().nullable().describe(TEXTS.amountOff),
  ticker: z.string().nullable().describe(TEXTS.ticker),
  cycles: z.int().nullable().describe(TEXTS.cycles),
  expiresAt: moment.nullable().describe(TEXTS.expiresAt),
  maxRedemptions: z.int().nullable().describe(TEXTS.maxRedemptions),
  offerIds: z.array(idSchema('offer_')).nullable().describe(TEXTS.offerIds),
  firstTimeOnly: z.boolean().describe(TEXTS.firstTimeOnly),
  active: z.boolean().describe('`false`: nobody redeems it any more.'),
  redemptions: z
    .int()
    .describe('How many subscriptions and payments have redeemed it, without those that ended unpaid.'),
  idempotencyKey: storedKey,
  isSandbox,
  createdAt: moment.describe('When it was made.'),
  updatedAt: moment.describe('When it last changed.'),
});

function couponView(doc: CouponDoc): z.output<typeof couponSchema> {
  const { _id: id, rev: _, moving: __, requestHash: ___, ...coupon } = doc;
  const { mode, expiresAt, offerIds: offers, idempotencyKey = null, ...rest } = coupon;
  const lists = { expiresAt: momentOrNull(expiresAt), offerIds: offers && [...offers], isSandbox: mode === 'test' };
  return { id, ...rest, idempotencyKey, ...lists, ...momentsOf(coupon) };
}

const redemptionSchema = z.strictObject({
  id: z.string().describe('Its name in this list: of a subscription its id.'),
  subscriptionId: idSchema('sub_').nullable().describe('The subscription; `null` for a one-time price.'),
  paymentId: idSchema('pay_').nullable().describe('The payment of a one-time price, once it has settled; else `null`.'),
  customerId: idSchema('cust_').describe('The customer.'),
  redeemedAt: moment.describe('When the coupon was redeemed.'),
  releasedAt: moment.nullable().describe('When the redemption was given back, because nothing was paid; else `null`.'),
});

function redemptionView(doc: RedemptionDoc): z.output<typeof redemptionSchema> {
  const { _id, couponId, subscriptionId, paymentId = null, customerId, createdAt, releasedAt } = doc;
  const moments = { redeemedAt: createdAt.toISOString(), releasedAt: momentOrNull(releasedAt) };
  return { id: _id.slice(couponId.length + 1), subscriptionId, paymentId, customerId, ...moments };
}

const wish = {
  ...{ code: 'WELCOME', percentOff: '25', cycles: 3, maxRedemptions: 500, offerIds: [IDS.offer], firstTimeOnly: true },
  idempotencyKey: 'welcome-2030',
};

const example: z.output<typeof couponSchema> = {
  ...{ id: IDS.coupon, merchantId: IDS.merchant, amountOff: null, ticker: null, expiresAt: null, ...wish },
  ...{ active: true, redemptions: 17, isSandbox: true, createdAt: MOMENTS.created, updatedAt: MOMENTS.settled },
};

const redeemed = {
  ...{ id: IDS.subscription, subscriptionId: IDS.subscription, paymentId: null, customerId: IDS.customer },
  ...{ redeemedAt: MOMENTS.created, releasedAt: null },
};

const params = z.object({ couponId: z.string().describe('The coupon.') });

export const createCoupon = endpoint({
  summary: 'Create a coupon, which lowers charges of subscriptions and one-time prices',
  id: 'createCoupon',
  description:
    'A payer redeems it by its code, or you set it on a subscription. What it takes off never changes, and is rounded down to the base unit. The payer of a subscription signs the full price as the most of a charge.',
  body,
  responses: { 201: couponSchema, 200: couponSchema },
  errors: [409],
  notes: { 409: 'Another coupon has this `code`.' },
  messages: { 400: 'percentOff or amountOff is required, and not both' },
  example: { body: wish, answer: { status: 201, body: { ...example, redemptions: 0, updatedAt: MOMENTS.created } } },
  handle: async ({ body, caller }, deps) => {
    const { code, percentOff, amountOff, ...less } = orNull(body, 'code', 'percentOff', 'amountOff', 'ticker');
    const limits = orNull(body, 'expiresAt', 'maxRedemptions', 'offerIds', 'idempotencyKey');
    const { cycles, firstTimeOnly } = body;
    const asked = { code, percentOff, amountOff, ...less, cycles, ...limits, firstTimeOnly: firstTimeOnly ?? false };
    const meant = { code: code?.toUpperCase(), percentOff: percentOff && sameDecimal(percentOff) };
    const hash = requestHash({ ...asked, ...meant, amountOff: amountOff && sameDecimal(amountOff) });
    const made = await coupons.createCoupon(deps, caller, { ...asked, requestHash: hash });
    return createdAnswer(made, couponView);
  },
});

export const listCoupons = endpoint({
  summary: 'List coupons, newest first',
  id: 'listCoupons',
  query: z.object({
    code: z.string().optional().describe('Only the coupon with this code.'),
    active: field.flag.optional().describe('Only active or only inactive coupons; default: both.'),
    created: field.created,
    ...field.page,
  }),
  responses: {
    200: z.strictObject({ coupons: z.array(couponSchema).describe('One page, newest first.'), ...pageEcho }),
  },
  csv: { list: 'coupons', columns: Object.keys(couponSchema.shape) },
  example: { answer: { status: 200, body: { coupons: [example], limit: 20, start: 0, hasMore: false } } },
  handle: async ({ query, caller }, deps) => {
    const page = field.pageOf(query);
    const found = await coupons.listCoupons(deps, caller, { ...query, ...page });
    return answer(200, { coupons: found.items.map(couponView), ...pageView(page, found) });
  },
});

export const getCoupon = endpoint({
  summary: 'Read a coupon',
  id: 'getCoupon',
  params,
  responses: { 200: couponSchema },
  errors: [404],
  example: { params: { couponId: IDS.coupon }, answer: { status: 200, body: example } },
  handle: async ({ params: { couponId }, caller }, deps) =>
    answer(200, couponView(await coupons.requireCoupon(deps, caller, couponId))),
});

export const updateCoupon = endpoint({
  summary: 'End a coupon, or let it be redeemed again; the rest is immutable',
  id: 'updateCoupon',
  description: 'Subscriptions that have redeemed it keep the discount.',
  params,
  body: z.object({
    ...field.allFixed(...Object.keys(couponSchema.shape)),
    active: z.boolean().describe('`false`: nobody redeems it any more.'),
  }),
  responses: { 200: couponSchema },
  errors: [404],
  messages: { 400: 'percentOff cannot be updated' },
  example: {
    params: { couponId: IDS.coupon },
    body: { active: false },
    answer: { status: 200, body: { ...example, active: false } },
  },
  handle: async ({ params: { couponId }, body: { active }, caller }, deps) =>
    answer(200, couponView(await coupons.setActive(deps, caller, couponId, active))),
});

export const listRedemptions = endpoint({
  summary: 'List who has redeemed a coupon, newest first',
  id: 'listRedemptions',
  description: '`startingAfter` is the `id` of the last item that you have.',
  params,
  query: z.object(field.page),
  responses: { 200: z.strictObject({ redemptions: z.array(redemptionSchema).describe('One page.'), ...pageEcho }) },
  errors: [404],
  csv: { list: 'redemptions', columns: Object.keys(redemptionSchema.shape) },
  example: {
    params: { couponId: IDS.coupon },
    answer: { status: 200, body: { redemptions: [redeemed], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ params: { couponId }, query, caller }, deps) => {
    const page = field.pageOf(query);
    const found = await coupons.listRedemptions(deps, caller, couponId, page);
    return answer(200, { redemptions: found.items.map(redemptionView), ...pageView(page, found) });
  },
});

const discount = { couponId: IDS.coupon, code: 'WELCOME', percentOff: '25', amountOff: null, cyclesLeft: 3 };
const OPEN = 'It is canceled, or a cycle is open that is not paid yet';

export const setDiscount = endpoint({
  summary: 'Set a coupon on a subscription, from its next cycle on',
  id: 'setDiscount',
  description: 'It takes the place of any other, and counts as a redemption. The payer does not sign again.',
  params: subscriptionParams,
  body: z.object({ couponId: field.text(100).describe('The coupon.') }),
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: {
    400: 'The coupon is over, used up, or not for this subscription; the message says which.',
    409: `${OPEN}; or the coupon was redeemed here before.`,
  },
  messages: { 400: 'This coupon has been used up', 409: 'This subscription has redeemed this coupon before' },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { couponId: IDS.coupon },
    answer: { status: 200, body: { ...activeSubscription, discount } },
  },
  handle: async ({ params: { subscriptionId: id }, body: { couponId }, caller }, deps) =>
    answer(200, subscriptionView(await discounts.setDiscount(deps, caller, id, couponId, 'api'), deps.clock())),
});

export const removeDiscount = endpoint({
  summary: 'Take the discount off a subscription, from its next cycle on',
  id: 'removeDiscount',
  description: 'The redemption of the coupon stays.',
  params: subscriptionParams,
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: { 409: `${OPEN}.` },
  messages: { 409: 'Subscription is past_due; discount needs its open cycle to be paid first' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: activeSubscription } },
  handle: async ({ params: { subscriptionId: id }, caller }, deps) =>
    answer(200, subscriptionView(await discounts.removeDiscount(deps, caller, id, 'api'), deps.clock())),
});
