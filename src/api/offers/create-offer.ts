import { z } from 'zod';
import { type CreateOffer, createOffer as create } from '../../billing/offers/offers.ts';
import type { PricingInput } from '../../billing/offers/pricing.ts';
import { createdAnswer, endpoint } from '../../http/endpoint.ts';
import { name, optionalKey } from '../../http/input/fields.ts';
import { compact, orNull } from '../../model/pick.ts';
import { requestHash, sameAddress, sameDecimal } from '../../model/request-hash.ts';
import { exampleOffer, monthlyRequest } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import {
  defaultDestination,
  destination,
  pauseInput,
  planChangesInput,
  presentation,
  pricingInput,
  pricingList,
  splitFields,
} from './fields.ts';

const body = z.object({
  name: name(200).describe('The name of the product.'),
  pricing: pricingList.describe('The pricing options of the offer.'),
  ...presentation,
  ...splitFields,
  merchantDestinationWallet: destination
    .nullish()
    .describe(
      'The receiver of the money for options without their own `merchantDestinationWallet`, for tokens without a registered wallet.',
    ),
  idempotencyKey: optionalKey,
});

export const createOffer = endpoint({
  summary: 'Create an offer together with its pricing options',
  id: 'createOffer',
  description:
    'Creates the offer, its options and its checkout URL in one call. A price in US dollars or a dollar stablecoin needs no exchange rate: one dollar is one token. Any other price is converted to tokens immediately, with an exchange rate no older than ten minutes, rounded up, and never changes again.',
  body,
  responses: { 201: offerSchema, 200: offerSchema },
  errors: [409],
  notes: {
    201: 'Created.',
    400: 'Not valid: an unknown or repeated token, splits of the wrong chain family, a price below 1.00 USD or its equivalent or, with a live key, below the least amount of a chain, or another rule of a field.',
    409: 'Another offer has this `identifier`.',
  },
  messages: {
    400: 'pricing[0].acceptedTokens[1] repeats "usdc-base"',
    409: 'An offer with the identifier "pro-plan" already exists',
  },
  example: {
    body: {
      name: 'Pro plan',
      description: 'Everything in Basic, and priority support.',
      imageUrl: 'https://shop.example/pro.png',
      productRef: 'sku-1042',
      pricing: [monthlyRequest],
      availableQuantity: 500,
      afterCompletion: { redirect: 'https://shop.example/thanks' },
      features: [{ title: 'Priority support' }],
      metadata: { team: 'growth' },
      idempotencyKey: '6f9c1f0e-5b52-4f6e-9a55-0d4d8f0f7c11',
    },
    answer: { status: 201, body: exampleOffer },
  },
  handle: async (call, deps) => {
    const created = await create(deps, call.caller, createInput(call.body));
    return createdAnswer(created, (offer) => offerView(offer, deps.config.publicUrl));
  },
});

function createInput(fields: z.output<typeof body>): CreateOffer {
  const fallback = defaultDestination(fields.merchantDestinationWallet);
  const input = {
    name: fields.name,
    ...orNull(fields, 'description', 'imageUrl', 'identifier', 'productRef', 'availableQuantity', 'expiresAt'),
    ...orNull(fields, 'reference', 'splitEvm', 'splitSolana', 'idempotencyKey'),
    pricing: fields.pricing.map((option) => pricingInput(option, fallback)),
    active: fields.active ?? true,
    afterCompletion: fields.afterCompletion ?? {},
    features: fields.features ?? [],
    collectFields: fields.collectFields ?? {},
    allowedPaymentMethods: fields.allowedPaymentMethods ?? {},
    metadata: fields.metadata ?? {},
    planChanges: planChangesInput(fields.planChanges),
    pause: pauseInput(fields.pause),
  };
  return { ...input, requestHash: requestHash(meaningOf(input)) };
}

const MODEL_DEFAULTS = {
  per_unit: { minQuantity: 1, quantityChangedBy: 'merchant' },
  metered: { includedUnits: 0, tiers: [], aboveCap: 'carry' },
} as const;

function modelMeaning({ model }: PricingInput): object | undefined {
  if (model === undefined || model.kind === 'fixed') return undefined;
  return {
    ...MODEL_DEFAULTS[model.kind],
    ...compact({
      ...model,
      tiers: model.tiers?.map((tier) => ({ ...tier, amount: sameDecimal(tier.amount) })),
      capAmount: model.capAmount && sameDecimal(model.capAmount),
      thresholdAmount: model.thresholdAmount && sameDecimal(model.thresholdAmount),
      windowCapAmount: model.windowCapAmount && sameDecimal(model.windowCapAmount),
    }),
  };
}

/** Equal for all spellings of one offer. */
function meaningOf(input: Omit<CreateOffer, 'requestHash'>): object {
  return {
    ...input,
    planChanges: input.planChanges ?? undefined,
    pause: input.pause ?? undefined,
    pricing: input.pricing.map((option) => ({
      ...option,
      amount: sameDecimal(option.amount),
      currency: option.currency.toUpperCase(),
      // Absent for a fixed price, so that the hashes of stored requests stay the same.
      model: modelMeaning(option),
      billing: {
        ...option.billing,
        intervalCount: option.billing.type === 'recurring' ? (option.billing.intervalCount ?? 1) : null,
      },
      merchantDestinationWallet: meaningOfDestination(option.merchantDestinationWallet),
    })),
    splitEvm: (input.splitEvm ?? []).map(({ address, percentage }) => ({
      address: sameAddress(address),
      percentage: sameDecimal(percentage),
    })),
    splitSolana: input.splitSolana ?? [],
  };
}

function meaningOfDestination(wanted: PricingInput['merchantDestinationWallet']): object | null {
  const wallets = typeof wanted === 'string' ? defaultDestination(wanted) : wanted;
  return wallets && { evm: sameAddress(wallets.evm), solana: wallets.solana };
}
