import type { z } from 'zod';
import type { offerSchema } from '../../views/offer.ts';
import { IDS, MOMENTS, TOKEN } from './ids.ts';

type OfferExample = z.output<typeof offerSchema>;

/** A request that adds an option of 9.90 USD a month. */
export const monthlyRequest = {
  label: 'Monthly',
  amount: '9.90',
  currency: 'USD',
  acceptedTokens: [TOKEN.tokenKey],
  billing: { type: 'recurring' as const, interval: 'month' as const },
};

/** A request that adds an option of 99.00 USD a year with a trial. */
export const yearlyRequest = {
  label: 'Yearly',
  amount: '99.00',
  currency: 'USD',
  acceptedTokens: [TOKEN.tokenKey],
  billing: { type: 'recurring' as const, interval: 'year' as const },
  trialDays: 14,
  maxFailedCycles: 3,
};

/** A change that hides an offer from new checkouts. */
export const deactivation = { active: false };

export const monthlyOption: OfferExample['pricing'][number] = {
  id: IDS.monthly,
  label: 'Monthly',
  amount: '9.90',
  currency: 'USD',
  billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
  acceptedTokens: [{ ...TOKEN, amountBaseUnits: '9900000' }],
  trialDays: null,
  maxCycles: null,
  maxFailedCycles: null,
  model: 'fixed',
  minQuantity: null,
  maxQuantity: null,
  quantityChangedBy: null,
  includedUnits: null,
  tiers: null,
  capAmount: null,
  aboveCap: null,
  thresholdAmount: null,
  windowCapAmount: null,
  merchantDestinationWallet: null,
  active: true,
};

export const yearlyOption: OfferExample['pricing'][number] = {
  ...monthlyOption,
  id: IDS.yearly,
  label: 'Yearly',
  amount: '99.00',
  billing: { type: 'recurring', interval: 'year', intervalCount: 1 },
  acceptedTokens: [{ ...TOKEN, amountBaseUnits: '99000000' }],
  trialDays: 14,
  maxFailedCycles: 3,
};

/** An offer with one option of 9.90 USD a month. */
export const exampleOffer: OfferExample = {
  id: IDS.offer,
  name: 'Pro plan',
  description: 'Everything in Basic, and priority support.',
  imageUrl: 'https://shop.example/pro.png',
  identifier: null,
  productRef: 'sku-1042',
  checkoutUrl: `https://pay.example.com/checkout/${IDS.offer}`,
  pricing: [monthlyOption],
  active: true,
  availableQuantity: 500,
  redeemedCount: 1,
  expiresAt: null,
  afterCompletion: { redirect: 'https://shop.example/thanks' },
  features: [{ title: 'Priority support' }],
  collectFields: {},
  allowedPaymentMethods: {},
  metadata: { team: 'growth' },
  reference: null,
  splitEvm: [],
  planChanges: null,
  pause: { byCustomer: true, periodEnd: 'moves' },
  isSandbox: true,
  idempotencyKey: '6f9c1f0e-5b52-4f6e-9a55-0d4d8f0f7c11',
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.created,
};
