import { offerSchema, pricingOptionSchema } from '../../views/offer.ts';
import { filled } from './filled.ts';
import { IDS, MOMENTS, TOKEN } from './ids.ts';

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

export const monthlyOption = filled(pricingOptionSchema, {
  id: IDS.monthly,
  label: 'Monthly',
  amount: '9.90',
  currency: 'USD',
  billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
  acceptedTokens: [{ ...TOKEN, amountBaseUnits: '9900000' }],
  model: 'fixed',
  active: true,
});

export const yearlyOption: typeof monthlyOption = {
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
export const exampleOffer = filled(offerSchema, {
  id: IDS.offer,
  name: 'Pro plan',
  description: 'Everything in Basic, and priority support.',
  imageUrl: 'https://shop.example/pro.png',
  productRef: 'sku-1042',
  checkoutUrl: `https://pay.example.com/checkout/${IDS.offer}`,
  pricing: [monthlyOption],
  active: true,
  availableQuantity: 500,
  redeemedCount: 1,
  afterCompletion: { redirect: 'https://shop.example/thanks' },
  features: [{ title: 'Priority support' }],
  collectFields: {},
  allowedPaymentMethods: {},
  metadata: { team: 'growth' },
  splitEvm: [],
  pause: { byCustomer: true, periodEnd: 'moves' },
  isSandbox: true,
  idempotencyKey: '6f9c1f0e-5b52-4f6e-9a55-0d4d8f0f7c11',
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.created,
});
