import { z } from 'zod';
import { blockedReason, moment } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { aboveCap, type OptionModel, type PriceModel, quantityChanger } from '../../machines/rules/price-model.ts';
import { BLOCKED } from '../model/blocked.ts';
import { COUNTED_MAX, type ListPage, type Page } from '../model/lists.ts';

/** The body of every error (reference, section 7; docs/rules.md, "Errors"): no other keys. */
export const errorSchema = z.strictObject({
  error: z
    .string()
    .min(1)
    .describe('The fault, the expectation and the place, for people. Programs branch only on the status.'),
});

/** A computed amount: token units, at least two decimals (docs/rules.md, "Money"). */
export const computedAmount = z.string().regex(/^(0|[1-9]\d*)\.(\d\d|\d+[1-9])$/);

export const jsonValue = z.json();

export const jsonMap: z.ZodType<JsonObject> = z.record(z.string(), jsonValue);

/** The two kinds of chains; a customer has at most one wallet on each. */
export const chainFamily = z.enum(['evm', 'solana']);

/** The environment of a key. */
export const mode = z.enum(['test', 'live']);

export const stringMap = z.record(z.string(), z.string());

export const billingType = z.enum(['recurring', 'one_time']);

export const billingInterval = z.enum(['day', 'week', 'month', 'year']);

/** When new terms begin, in requests and answers. */
export const changeWhen = z.enum(['now', 'period_end']);
export const changeProration = z.enum(['credit', 'none']);

export const subscriptionStatus = z.enum(['pending', 'active', 'past_due', 'canceled']);

/** `HeldWhy` of the store: why the rest of a deposit stays at its address. */
export const heldWhy = z.enum(['no_refund_wallet', 'below_cost', 'refund_refused', 'unread', 'not_in_catalog']);

export const paymentStatus = z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']);

/** The hash or signature of a transaction; null: there is none. */
export const txHash = z.string().nullable();

/** The id with its prefix and 26 characters. */
export function idSchema(
  prefix: 'offer_' | 'price_' | 'cust_' | 'pay_' | 'wal_' | 'mrc_' | 'inv_' | 'sub_' | 'evt_' | 'ref_' | 'cpn_',
) {
  return z.string().regex(new RegExp(`^${prefix}[0-9a-z]{26}$`));
}

export const merchantId = idSchema('mrc_').describe('The merchant that owns it.');

export const isSandbox = z.boolean().describe('`true` if it was made with a test key.');

export const createdAt = moment.describe('When it was made.');

export const updatedAt = moment.describe('When it last changed.');

/** The `idempotencyKey` of the create. */
export const storedKey = z
  .string()
  .nullable()
  .describe('The `idempotencyKey` of the call that made it; `null` without one.');

const BLOCKED_BY = blockedReason.options.map((reason) => `\`${reason}\`: ${BLOCKED[reason]}`).join('; ');

/** An additive field of all resources that can be charged. */
export const blockedReasonField = blockedReason
  .nullable()
  .describe(
    `Why a due or open charge is not made although the payer is not the cause. Nothing has failed, no attempt is counted, and the charge is made when the cause is gone. ${BLOCKED_BY}. \`null\`: not blocked.`,
  );

/** The answer of DELETE (docs/rules.md, "Offers", "Wallets", "Customers"). */
export const deletedSchema = z.strictObject({
  id: z.string().describe('The id of the deleted resource.'),
  deleted: z.literal(true).describe('Always `true`.'),
});

export function deletedView(id: string): z.output<typeof deletedSchema> {
  return { id, deleted: true };
}

/** A discount of a subscription, in the answers of every API. */
export const discountSchema = z.strictObject({
  couponId: idSchema('cpn_').describe('The coupon.'),
  code: z.string().nullable().describe('Its code; `null` without one.'),
  percentOff: z.string().nullable().describe('The part of each charge that it takes off; `null`: `amountOff`.'),
  amountOff: z.string().nullable().describe('What it takes off each charge, in token units; `null`: `percentOff`.'),
  cyclesLeft: z.int().nullable().describe('The cycles that still have it; `null`: all.'),
});

/** The same for payers, with what it leaves of a charge. */
export const shownDiscountSchema = z.strictObject({
  ...discountSchema.shape,
  /** In token units; of a metered price the most. */
  charge: computedAmount,
});

/** What new terms cost in a paid subscription. */
export const quoteSchema = z.strictObject({
  at: moment
    .nullable()
    .describe("When they begin, by the subscription's clock; `null`: as soon as they are authorized."),
  paidUntil: moment.nullable().describe('The end of the paid period.'),
  now: computedAmount.describe('The charge then, if that is now, in token units: `credit` is off already. Else 0.'),
  credit: computedAmount.describe('The unused part of the paid period as of now; it is less by the second.'),
  later: computedAmount.describe('Each later charge.'),
});

/** The fields of every list about its page, beside the array. */
export const pageEcho = {
  limit: z.int().describe('The requested limit, or the default. A shorter page is the last.'),
  start: z.int().describe('The requested start, or the default.'),
  hasMore: z.boolean().describe('`true` if another page follows: continue with `startingAfter`.'),
};

export function pageView({ limit, start }: Page, { hasMore }: ListPage<unknown>) {
  return { limit, start, hasMore };
}

const totals = {
  count: z.int().describe(`How many match the filter, on all pages: at most ${COUNTED_MAX}.`),
  hasMore: z.boolean().describe('`true` if more match than were counted.'),
};

/** What a list adds with `totals=true`. */
export const totalsSchema = z
  .strictObject(totals)
  .optional()
  .describe('What the filter finds on all pages. Only with `totals=true`.');

export const paymentTotalsSchema = z
  .strictObject({
    ...totals,
    sums: z
      .array(
        z.strictObject({
          tokenKey: z.string().describe('The token.'),
          status: z.enum(['settled', 'failed']).describe('Of the payments that are added up.'),
          count: z.int().describe('The number of these payments.'),
          amount: computedAmount.describe('The sum of their `amount`, in token units.'),
        }),
      )
      .describe('By token, without payments that have not ended. `[]` if `hasMore`.'),
  })
  .optional()
  .describe('What the filter finds on all pages. Only with `totals=true`.');

export function momentOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** When a document was made and last changed, as views show it. */
export function momentsOf({ createdAt, updatedAt }: { readonly createdAt: Date; readonly updatedAt: Date }) {
  return { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** The units of a price per unit, as pages show them. */
const unitsSchema = z.strictObject({
  /** Of the next charge; before there is a subscription, the least. */
  quantity: z.int(),
  min: z.int(),
  max: z.int(),
  changedBy: quantityChanger,
});
type Units = z.output<typeof unitsSchema>;

/** null: the price has no quantity. */
export function unitsView(model: OptionModel | PriceModel | undefined): Units | null {
  if (model?.kind !== 'per_unit') return null;
  const { minQuantity: min, maxQuantity: max, quantityChangedBy: changedBy } = model;
  return { quantity: 'quantity' in model ? model.quantity : min, min, max, changedBy };
}

/** A metered price, as pages show it. */
export const meteredSchema = z.strictObject({
  /** Of the amounts: that of the offer, or the token of the subscription. */
  currency: z.string(),
  /** The prices of a unit, ascending. The units up to the first `above` are included. */
  tiers: z.array(z.strictObject({ above: z.int(), amount: z.string() }).readonly()).readonly(),
  /** The highest amount of one charge. */
  capAmount: z.string(),
  aboveCap,
  /** A charge is made as soon as the use costs so much; those of any 30 days are at most the other. Absent: neither. */
  thresholdAmount: z.string().exactOptional(),
  windowCapAmount: z.string().exactOptional(),
});

/** What a metered subscription has used since its last charge. */
export const usageSchema = z.strictObject({
  subscriptionId: idSchema('sub_').describe('The subscription.'),
  tokenKey: z.string().describe('The token of the amounts.'),
  from: moment.describe('Since when use is counted for the next charge: when the last cycle opened.'),
  to: moment.nullable().describe('When the next cycle falls due; `null`: it has ended.'),
  units: z.int().describe('The units that were counted since then.'),
  amount: computedAmount.describe('Their price, in token units.'),
  carriedAmount: computedAmount.describe(
    'What no charge has had: it was above the cap of the last one, or below 1.00 USD. The next one has it too.',
  ),
  capAmount: computedAmount.describe('The most of the next charge.'),
  chargeAmount: computedAmount.describe(
    'What would be charged if the period ended now: at most `capAmount`, and nothing below 1.00 USD.',
  ),
  unchargedAmount: computedAmount.describe(
    'What no charge would have if the subscription ended now; once it has ended, what none has.',
  ),
  level: z
    .int()
    .describe(
      'The part of `capAmount` that is reached, in percent, rounded down; above 100 if something will be carried.',
    ),
  unitsLeft: z.int().nullable().describe('The units that still fit below the cap; `null`: any number.'),
  thresholdAmount: computedAmount
    .nullable()
    .describe('A charge is made as soon as `chargeAmount` reaches it; `null`: only after a period.'),
  waitsUntil: moment
    .nullable()
    .describe(
      'The charge so far would be above `windowCapAmount` of the price: when it is allowed. `null`: now. A charge that is due waits until then; that is no failure.',
    ),
});

/** How the amount of a charge varies; both null: it does not. */
export const priceModels = { units: unitsSchema.nullable(), metered: meteredSchema.nullable() };

/** A price as pages show it. */
export const priceTerms = {
  id: idSchema('price_'),
  label: z.string().nullable(),
  amount: z.string(),
  currency: z.string(),
  billing: z.strictObject({
    type: billingType,
    interval: billingInterval.nullable(),
    intervalCount: z.int().nullable(),
  }),
  trialDays: z.int().nullable(),
  maxCycles: z.int().nullable(),
  ...priceModels,
};

/** The address of a receipt. Whoever has it sees the receipt. */
export const receiptPath = z.templateLiteral(['/receipts/', z.string()]);

/** What pages show of a merchant beside its name (docs/rules.md, "Branding"). */
export const brandingSchema = z.strictObject({
  /** Below the root of the service; null: none. */
  logoPath: z.templateLiteral(['/logos/', z.string()]).nullable(),
  /** `#rrggbb`; null: the colour of the service. */
  accentColor: z.string().nullable(),
});
