import { z } from 'zod';
import { OPTIONS_MAX, type PricingInput } from '../../billing/pricing.ts';
import { amount, freeMap, freeMaps, integer, metadata, percentage, text, timestamp } from '../input/fields.ts';

/** `{offerId}` in a path. */
export const offerParams = z.object({ offerId: z.string() });

const destination = z.union([text(100), z.object({ evm: text(100).nullish(), solana: text(100).nullish() })], {
  error: 'must be an address, or an object with evm and solana',
});

/** One pricing option of a request (decisions, "Offers"). */
export const pricingFields = z.object({
  label: text(200).nullish(),
  amount,
  currency: text(20).nullish(),
  acceptedTokens: z.array(text(100)).min(1, 'must name at least one token'),
  billing: z.object({
    type: z.enum(['recurring', 'one_time']),
    interval: z.enum(['day', 'week', 'month', 'year']).nullish(),
    intervalCount: integer(1, 365).nullish(),
  }),
  trialDays: integer(0, 730).nullish(),
  maxCycles: integer(1, 1_000_000).nullish(),
  maxFailedCycles: integer(1, 1_000_000).nullish(),
  merchantDestinationWallet: destination.nullish(),
});

/** Whatever is left out is null; the currency is then `USD`. */
export function pricingInput(fields: z.output<typeof pricingFields>): PricingInput {
  const { billing, merchantDestinationWallet: wanted } = fields;
  return {
    label: fields.label ?? null,
    amount: fields.amount,
    currency: fields.currency ?? 'USD',
    acceptedTokens: fields.acceptedTokens,
    billing: {
      type: billing.type,
      interval: billing.interval ?? null,
      intervalCount: billing.intervalCount ?? null,
    },
    trialDays: fields.trialDays ?? null,
    maxCycles: fields.maxCycles ?? null,
    maxFailedCycles: fields.maxFailedCycles ?? null,
    merchantDestinationWallet:
      typeof wanted === 'object' && wanted !== null
        ? { evm: wanted.evm ?? null, solana: wanted.solana ?? null }
        : (wanted ?? null),
  };
}

export const pricingList = z
  .array(pricingFields)
  .min(1, 'must have at least one option')
  .max(OPTIONS_MAX, `must have at most ${OPTIONS_MAX} options`);

const SPLITS_MAX = 5;

export const splitFields = {
  splitEvm: z
    .array(z.object({ address: z.string(), percentage }))
    .min(1, `must have 1 to ${SPLITS_MAX} rows`)
    .max(SPLITS_MAX, `must have 1 to ${SPLITS_MAX} rows`)
    .nullish(),
  splitSolana: z.array(z.json()).nullish(),
};

/** A readable slug, unique per merchant and environment. */
export const identifier = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,63}$/,
    'must be 1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen',
  );

/** What an offer shows, apart from its name and prices. */
export const presentation = {
  description: text(5_000).nullish(),
  imageUrl: text(2_048).refine(isHttpUrl, 'must be an http or https URL').nullish(),
  identifier: identifier.nullish(),
  productRef: text(255).nullish(),
  active: z.boolean().nullish(),
  availableQuantity: integer(0, 1_000_000_000).nullish(),
  expiresAt: timestamp.nullish(),
  afterCompletion: freeMap.nullish(),
  features: freeMaps.nullish(),
  collectFields: freeMap.nullish(),
  allowedPaymentMethods: freeMap.nullish(),
  metadata: metadata.nullish(),
  reference: text(255).nullish(),
};

function isHttpUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}
