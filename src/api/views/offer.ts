import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { aboveCap, quantityChanger } from '../../../machines/rules/price-model.ts';
import { pausedPeriodEnd } from '../../../machines/subscription/context.ts';
import { amount } from '../../http/input/fields.ts';
import {
  billingInterval,
  billingType,
  changeProration,
  changeWhen,
  createdAt,
  idSchema,
  isSandbox,
  jsonMap,
  momentOrNull,
  momentsOf,
  storedKey,
  stringMap,
  updatedAt,
} from '../../http/schemas.ts';
import { pick } from '../../model/pick.ts';
import type { OfferDoc, PlanChanges, PricingOption } from '../../store/collections.ts';

export const acceptedTokenSchema = z.strictObject({
  tokenKey: z.string().describe('The token.'),
  chainId: z.int().describe('The chain of the token.'),
  amountBaseUnits: z
    .string()
    .regex(/^\d+$/)
    .describe(
      'The amount of one charge, or of one unit, in base units of the token, frozen when the option was made, rounded up.',
    ),
});

/** A price of further units of a period, in requests and answers. */
export const tierSchema = z.strictObject({
  above: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .describe('For the units of a period above this number, up to the next tier.'),
  amount: amount.describe('The price of each of them, in the currency of the price.'),
});

/** How the amount of a charge is found. */
export const priceModels = z.enum(['fixed', 'per_unit', 'metered']);

/** How an amount varies, in all answers that have a pricing option. */
const modelFields = {
  model: priceModels.describe(
    '`fixed`: a charge is `amount`. `per_unit`: it is `amount` × the `quantity` of the subscription. `metered`: after each period, the use in it, each unit for `amount`.',
  ),
  minQuantity: z.int().nullable().describe('Of `per_unit`, else `null`: the least quantity.'),
  maxQuantity: z
    .int()
    .nullable()
    .describe('Of `per_unit`, else `null`: the greatest quantity, for which the payer signs.'),
  quantityChangedBy: quantityChanger
    .nullable()
    .describe('Of `per_unit`, else `null`. `customer`: the payer may change the quantity too.'),
  includedUnits: z.int().nullable().describe('Of `metered`, else `null`: the units of each period that cost nothing.'),
  tiers: z
    .array(tierSchema)
    .nullable()
    .describe(
      'Of `metered`, else `null`: the prices of further units of a period, ascending; `[]`: all cost `amount`.',
    ),
  capAmount: z
    .string()
    .nullable()
    .describe('Of `metered`, else `null`: the highest amount of one charge, which the payer signs, in `currency`.'),
  aboveCap: aboveCap
    .nullable()
    .describe(
      'Of `metered`, else `null`. `carry`: the next charge has the part above the cap; `refuse`: it is not accepted.',
    ),
  thresholdAmount: z
    .string()
    .nullable()
    .describe('A charge is made as soon as the use costs so much, in `currency`; `null`: only after a period.'),
  windowCapAmount: z
    .string()
    .nullable()
    .describe(
      'The most of all charges in any 30 days, for which the payer signs, in `currency`; `null`: no such limit.',
    ),
};

/**
 * PricingOption (reference, section 2), with additive fields: `merchantDestinationWallet`, `intervalCount`, `model` and
 * those of the models.
 */
export const pricingOptionSchema = z.strictObject({
  id: idSchema('price_').describe('The pricing option: `priceId` elsewhere.'),
  label: z.string().nullable().describe('Shown at checkout.'),
  amount: z.string().describe('The price as sent, in `currency`.'),
  currency: z.string().describe('`USD`, `EUR`, `GBP` or a ticker of the catalog.'),
  billing: z
    .strictObject({
      type: billingType.describe('One charge or recurring charges.'),
      interval: billingInterval.nullable().describe('The unit of a cycle; `null` when billed once.'),
      intervalCount: z.int().nullable().describe('The number of intervals in a cycle; `null` when billed once.'),
    })
    .describe('One charge, or the interval of recurring ones.'),
  acceptedTokens: z.array(acceptedTokenSchema).describe('The accepted tokens, and the amount of each.'),
  trialDays: z.int().nullable().describe('Days until the first charge; `null` for none.'),
  maxCycles: z
    .int()
    .nullable()
    .describe('The number of paid cycles after which the subscription is canceled; `null`: no limit.'),
  maxFailedCycles: z
    .int()
    .nullable()
    .describe(
      'The number of failed attempts in a row after which the subscription is canceled; `null`: it is canceled only after seven days past due.',
    ),
  ...modelFields,
  merchantDestinationWallet: z
    .strictObject({
      evm: z.string().nullable().describe('On EVM chains.'),
      solana: z.string().nullable().describe('On Solana.'),
    })
    .nullable()
    .describe('The receiver of the money for tokens without a registered wallet.'),
  active: z.boolean().describe('`false` once it is retired: no new subscriptions; existing ones keep billing.'),
});

export const splitSchema = z.strictObject({
  address: z.string().describe('The receiver of a share.'),
  percentage: z.string().describe('The share of the merchant amount, in percent: a decimal string.'),
});

/** Offer (reference, section 2), with additive fields: `splitEvm`, `planChanges`, `pause`, `idempotencyKey`. */
export const offerSchema = z.strictObject({
  id: idSchema('offer_').describe('The offer.'),
  name: z.string().describe('The name of the product.'),
  description: z.string().nullable().describe('Shown at checkout.'),
  imageUrl: z.string().nullable().describe('Shown at checkout.'),
  identifier: z.string().nullable().describe("A readable slug, unique among the merchant's offers of this mode."),
  productRef: z.string().nullable().describe("The merchant's own name for the product."),
  checkoutUrl: z.url().describe('The hosted checkout. It never changes, also when options do.'),
  pricing: z
    .array(pricingOptionSchema)
    .min(1)
    .describe('All options, with the retired ones, in the order of their creation.'),
  active: z.boolean().describe('`false` hides it from new checkouts; existing subscriptions keep billing.'),
  availableQuantity: z.int().nullable().describe('The number that may be sold; `null`: no limit.'),
  redeemedCount: z.int().describe('The number that was sold and paid.'),
  expiresAt: moment.nullable().describe('After this time it accepts no new customers; `null`: never.'),
  afterCompletion: jsonMap.describe('Free-form, kept as sent: the next step after a checkout.'),
  features: z.array(jsonMap).describe('Free-form, kept as sent: shown at checkout, no effect on billing.'),
  collectFields: jsonMap.describe('Free-form, kept as sent: the questions of a checkout.'),
  allowedPaymentMethods: jsonMap.describe('Free-form, kept as sent.'),
  metadata: stringMap.describe("The merchant's own notes: string to string."),
  reference: z.string().nullable().describe("The merchant's own reference."),
  splitEvm: z
    .array(splitSchema)
    .describe('The receivers of shares of the merchant amount on EVM chains; the rest is paid out as usual.'),
  planChanges: z
    .strictObject({
      priceIds: z
        .array(idSchema('price_'))
        .nullable()
        .describe('The options that they may change to; `null`: every active recurring one.'),
      when: changeWhen.describe('When a change to more money begins. One to less begins with the next period.'),
      proration: changeProration.describe('Whether a change now credits the unused part of the paid period.'),
    })
    .nullable()
    .describe('What customers may change to in the portal; `null`: nothing.'),
  pause: z
    .strictObject({
      byCustomer: z.boolean().describe('`true`: customers may pause in the portal.'),
      periodEnd: pausedPeriodEnd.describe(
        '`moves`: the paid period goes on after the pause. `keeps`: it ends on its day.',
      ),
    })
    .nullable()
    .describe('How subscriptions are paused; `null`: by you alone, and the end of the paid period moves.'),
  isSandbox,
  idempotencyKey: storedKey,
  createdAt,
  updatedAt,
});

type OfferView = z.output<typeof offerSchema>;

/** `publicUrl` is the address of the hosted checkout; the URL of an offer never changes. */
export function offerView(offer: OfferDoc, publicUrl: string): OfferView {
  return {
    id: offer._id,
    ...pick(offer, 'name', 'description', 'imageUrl', 'identifier', 'productRef'),
    checkoutUrl: `${publicUrl}/checkout/${offer._id}`,
    pricing: offer.pricing.map(pricingOptionView),
    ...pick(offer, 'active', 'availableQuantity', 'redeemedCount'),
    expiresAt: momentOrNull(offer.expiresAt),
    features: [...offer.features],
    ...pick(offer, 'afterCompletion', 'collectFields', 'allowedPaymentMethods', 'metadata', 'reference'),
    splitEvm: offer.splitEvm.map((split) => pick(split, 'address', 'percentage')),
    planChanges: offer.planChanges ? planChangesView(offer.planChanges) : null,
    pause: offer.pause ?? null,
    isSandbox: offer.mode === 'test',
    idempotencyKey: offer.idempotencyKey,
    ...momentsOf(offer),
  };
}

function planChangesView({ priceIds, ...rules }: PlanChanges): NonNullable<OfferView['planChanges']> {
  return { priceIds: priceIds && [...priceIds], ...rules };
}

function pricingOptionView(option: PricingOption): OfferView['pricing'][number] {
  const destination = option.merchantDestinationWallet;
  return {
    ...pick(option, 'id', 'label', 'amount', 'currency', 'trialDays', 'maxCycles', 'maxFailedCycles', 'active'),
    billing: pick(option.billing, 'type', 'interval', 'intervalCount'),
    acceptedTokens: option.acceptedTokens.map((token) => pick(token, 'tokenKey', 'chainId', 'amountBaseUnits')),
    ...modelView(option),
    merchantDestinationWallet: destination && pick(destination, 'evm', 'solana'),
  };
}

function modelView({ model }: PricingOption) {
  switch (model?.kind) {
    case undefined:
      return { model: 'fixed', ...NO_QUANTITY, ...NOT_METERED } as const;
    case 'per_unit': {
      const { kind, ...limits } = model;
      return { model: kind, ...limits, ...NOT_METERED };
    }
    case 'metered': {
      const { kind, tiers, ...terms } = model;
      return { model: kind, ...NO_QUANTITY, ...NO_THRESHOLD, ...terms, tiers: [...tiers] };
    }
  }
}

const NO_QUANTITY = { minQuantity: null, maxQuantity: null, quantityChangedBy: null } as const;
const NO_THRESHOLD = { thresholdAmount: null, windowCapAmount: null } as const;
const NOT_METERED = { includedUnits: null, tiers: null, capAmount: null, aboveCap: null, ...NO_THRESHOLD } as const;
