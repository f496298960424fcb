import { z } from 'zod';
import { aboveCap, QUANTITY_MAX, quantityChanger } from '../../../machines/rules/price-model.ts';
import { pausedPeriodEnd } from '../../../machines/subscription/context.ts';
import { OPTIONS_MAX, type PricingInput } from '../../billing/offers/pricing.ts';
import { invalid } from '../../errors/fault.ts';
import {
  amount,
  freeMap,
  freeMaps,
  integer,
  metadata,
  name,
  percentage,
  text,
  timestamp,
} from '../../http/input/fields.ts';
import { billingInterval, billingType, changeProration, changeWhen, jsonValue } from '../../http/schemas.ts';
import { familyOfAddress } from '../../model/addresses.ts';
import { orNull } from '../../model/pick.ts';
import type { DestinationWallets, PauseRules, PlanChanges } from '../../store/collections.ts';
import { priceModels, tierSchema } from '../views/offer.ts';

const TIERS_MAX = 20;

/** `{offerId}` in a path. */
export const offerParams = z.object({ offerId: z.string().describe('The offer.') });

/** The receiver of the money: one address, or one for each family. */
export const destination = z.union(
  [
    text(100),
    z.object({
      evm: text(100).nullish().describe('An EVM address.'),
      solana: text(100).nullish().describe('A Solana address.'),
    }),
  ],
  {
    error: 'must be an address, or an object with evm and solana',
  },
);

/** One pricing option of a request (docs/rules.md, "Offers"). */
export const pricingFields = z.object({
  label: name(200).nullish().describe('Shown at checkout.'),
  amount: amount.describe(
    'The price in `currency`: a decimal string, at least 1.00 USD or its equivalent; of one unit for `per_unit` and `metered`.',
  ),
  currency: text(20)
    .nullish()
    .describe(
      '`USD` (the default), `EUR`, `GBP` or a ticker of the catalog. USD, USDC and USDT count as a dollar each; a price in another currency is converted to tokens immediately, at its exchange rate.',
    ),
  acceptedTokens: z
    .array(text(100))
    .min(1, 'must name at least one token')
    .describe(
      'Token keys of the catalog, each once. A live key takes mainnet tokens only; an offer with `splitEvm` takes EVM tokens only.',
    ),
  billing: z
    .object({
      type: billingType.describe('One charge or recurring charges.'),
      interval: billingInterval.nullish().describe('Required for `recurring`, absent for `one_time`.'),
      intervalCount: integer(1, 365)
        .nullish()
        .describe('The number of intervals in a cycle; default: 1. For `recurring` only.'),
    })
    .describe('One charge, or the interval of recurring ones.'),
  trialDays: integer(0, 730).nullish().describe('Days until the first charge. For `recurring` only.'),
  maxCycles: integer(1, 1_000_000)
    .nullish()
    .describe(
      'The number of paid cycles after which the subscription is canceled; default: no limit. For `recurring` only.',
    ),
  maxFailedCycles: integer(1, 1_000_000)
    .nullish()
    .describe('The number of failed attempts in a row after which the subscription is canceled. For `recurring` only.'),
  model: priceModels
    .nullish()
    .describe(
      '`fixed` (the default): each charge is `amount`. `per_unit`: a charge is `amount` × the `quantity` of the subscription. `metered`: after each period, the use in it, each unit for `amount`. For `recurring` only.',
    ),
  minQuantity: integer(1, QUANTITY_MAX)
    .nullish()
    .describe('For `per_unit`: the least quantity; default: 1. `amount` × `minQuantity` is at least 1.00 USD.'),
  maxQuantity: integer(1, QUANTITY_MAX)
    .nullish()
    .describe(
      'For `per_unit`, required there: the greatest quantity. The payer signs `amount` × `maxQuantity` as the most of a charge.',
    ),
  quantityChangedBy: quantityChanger
    .nullish()
    .describe(
      'For `per_unit`: `merchant` (the default), or `customer` too, who chooses the quantity at the checkout and changes it in the portal.',
    ),
  includedUnits: integer(0, 1_000_000_000_000)
    .nullish()
    .describe('For `metered`: the units of each period that cost nothing; default: 0.'),
  tiers: z
    .array(tierSchema)
    .max(TIERS_MAX, `must have at most ${TIERS_MAX} tiers`)
    .nullish()
    .describe('For `metered`: other prices of further units of a period, ascending; default: all cost `amount`.'),
  capAmount: amount
    .nullish()
    .describe(
      'For `metered`, required there: the highest amount of one charge, in `currency`, at least 1.00 USD. The payer signs it.',
    ),
  aboveCap: aboveCap
    .nullish()
    .describe(
      'For `metered`. `carry` (the default): the next charge has the part above the cap. `refuse`: POST …/usage answers 409 above it.',
    ),
  thresholdAmount: amount
    .nullish()
    .describe(
      'For `metered`: a charge is made as soon as the use costs so much, in `currency`, and not only after a period. At least 1.00 USD, and at most `capAmount`; default: none. It needs `windowCapAmount`, and takes no `maxCycles`.',
    ),
  windowCapAmount: amount
    .nullish()
    .describe(
      'For `thresholdAmount`, required there: the most of all charges in any 30 days, in `currency`, at least `capAmount`. The payer signs it, and the router keeps it. A charge above it waits.',
    ),
  merchantDestinationWallet: destination
    .nullish()
    .describe(
      'The receiver of the money for accepted tokens without a registered wallet: an address on one of their chains, or one per family. Not zero, no token, not the operator; on Solana a wallet, no token account or program, and for a live key with an account for each accepted token.',
    ),
});

/**
 * The destination of options that name none. The form of an address gives its family; throws 400 for an address of
 * neither.
 */
export function defaultDestination(wanted: z.output<typeof destination> | null | undefined): DestinationWallets | null {
  if (wanted === null || wanted === undefined) return null;
  if (typeof wanted !== 'string') return orNull(wanted, 'evm', 'solana');
  const family = familyOfAddress(wanted);
  if (family === null) throw invalid('merchantDestinationWallet must be an EVM or a Solana address');
  return { evm: family === 'evm' ? wanted : null, solana: family === 'solana' ? wanted : null };
}

/** A missing field becomes null; a missing currency becomes `USD`, a missing destination `fallback`. */
export function pricingInput(
  fields: z.output<typeof pricingFields>,
  fallback: DestinationWallets | null = null,
): PricingInput {
  const { billing, merchantDestinationWallet: wanted } = fields;
  return {
    ...orNull(fields, 'label', 'trialDays', 'maxCycles', 'maxFailedCycles'),
    amount: fields.amount,
    currency: fields.currency ?? 'USD',
    acceptedTokens: fields.acceptedTokens,
    billing: { type: billing.type, ...orNull(billing, 'interval', 'intervalCount') },
    model: {
      kind: fields.model ?? 'fixed',
      minQuantity: fields.minQuantity ?? undefined,
      maxQuantity: fields.maxQuantity ?? undefined,
      quantityChangedBy: fields.quantityChangedBy ?? undefined,
      includedUnits: fields.includedUnits ?? undefined,
      tiers: fields.tiers ?? undefined,
      capAmount: fields.capAmount ?? undefined,
      aboveCap: fields.aboveCap ?? undefined,
      thresholdAmount: fields.thresholdAmount ?? undefined,
      windowCapAmount: fields.windowCapAmount ?? undefined,
    },
    merchantDestinationWallet:
      typeof wanted === 'object' && wanted !== null ? orNull(wanted, 'evm', 'solana') : (wanted ?? fallback),
  };
}

export const pricingList = z
  .array(pricingFields)
  .min(1, 'must have at least one option')
  .max(OPTIONS_MAX, `must have at most ${OPTIONS_MAX} options`);

const SPLITS_MAX = 5;

export const splitFields = {
  splitEvm: z
    .array(
      z.object({
        address: z.string().describe('An EVM address, not zero, each once.'),
        percentage: percentage.describe(
          'The share of the merchant amount, in percent: more than 0, at most 2 decimal places.',
        ),
      }),
    )
    .max(SPLITS_MAX, `must have at most ${SPLITS_MAX} rows`)
    .nullish()
    .describe(
      "The receivers of shares of the merchant's part on EVM chains: at most 100 percent together; the rest is paid out as usual. An empty list is the same as none. Cannot be changed later.",
    ),
  splitSolana: z.array(jsonValue).nullish().describe('Must be absent or empty: Solana payouts cannot be split.'),
};

/** What customers may change to in the portal. */
export const planChangesFields = z.object({
  priceIds: z
    .array(text(100))
    .max(OPTIONS_MAX, `must have at most ${OPTIONS_MAX} ids`)
    .nullish()
    .describe(
      'The recurring options that they may change to; default: every active one. None is offered from or to a metered price.',
    ),
  when: changeWhen
    .nullish()
    .describe(
      '`now` (the default): a change to more money begins a new period at once. `period_end`: it begins with the next period, as a change to less money or to a shorter period always does.',
    ),
  proration: changeProration
    .nullish()
    .describe('`credit` (the default with `now`): the charge is less by the unused part of the paid period.'),
});

/** What an offer says about pauses of its subscriptions. */
export const pauseFields = z.object({
  byCustomer: z.boolean().nullish().describe('`true`: customers may pause in the portal. Default: `false`.'),
  periodEnd: pausedPeriodEnd
    .nullish()
    .describe(
      '`moves` (the default): the paid period goes on after the pause, for as long as was left of it. `keeps`: it ends on its day. With both, a pause that lasts longer than the period is followed by the next charge at once.',
    ),
});

export function pauseInput(wanted: z.output<typeof pauseFields> | null | undefined): PauseRules | null {
  return wanted ? { byCustomer: wanted.byCustomer ?? false, periodEnd: wanted.periodEnd ?? 'moves' } : null;
}

/** Throws 400 for a credit of a period that ends anyway. */
export function planChangesInput(wanted: z.output<typeof planChangesFields> | null | undefined): PlanChanges | null {
  if (!wanted) return null;
  const when = wanted.when ?? 'now';
  const proration = wanted.proration ?? (when === 'now' ? 'credit' : 'none');
  if (when === 'period_end' && proration === 'credit') {
    throw invalid('planChanges.proration credit needs planChanges.when to be now');
  }
  return { priceIds: wanted.priceIds ?? null, when, proration };
}

/** A readable slug, unique per merchant and environment. */
const identifier = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,63}$/,
    'must be 1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen',
  );

/** The presentation of an offer, apart from its name and prices. */
export const presentation = {
  description: text(5_000).nullish().describe('Shown at checkout.'),
  imageUrl: text(2_048)
    .refine(isHttpUrl, 'must be an http or https URL')
    .nullish()
    .describe('An http or https URL. Shown at checkout.'),
  identifier: identifier.nullish().describe("A readable slug, unique among the merchant's offers of this mode."),
  productRef: text(255).nullish().describe("The merchant's own name for the product."),
  active: z.boolean().nullish().describe('`false` hides it from new checkouts.'),
  availableQuantity: integer(0, 1_000_000_000)
    .nullish()
    .describe('The number that may be sold; not below the number already taken.'),
  expiresAt: timestamp.nullish().describe('After this time it accepts no new customers. Any zone; kept in UTC.'),
  afterCompletion: freeMap.nullish().describe('Free-form, kept as sent. At most 16 KB of JSON.'),
  features: freeMaps
    .nullish()
    .describe('Free-form, kept as sent: shown at checkout, no effect on billing. At most 16 KB of JSON together.'),
  collectFields: freeMap
    .nullish()
    .describe('Free-form, kept as sent: the questions of a checkout. At most 16 KB of JSON.'),
  allowedPaymentMethods: freeMap.nullish().describe('Free-form, kept as sent. At most 16 KB of JSON.'),
  metadata: metadata.nullish().describe("The merchant's own notes: string to string. At most 16 KB of JSON."),
  reference: text(255).nullish().describe("The merchant's own reference."),
  pause: pauseFields
    .nullish()
    .describe('How subscriptions are paused; `null`: by you alone, and the end of the paid period moves.'),
  planChanges: planChangesFields.nullish().describe('What customers may change to in the portal; `null`: nothing.'),
};

function isHttpUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}
