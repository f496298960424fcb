import type { z } from 'zod';
import {
  invoiceSchema,
  type migrationSchema,
  type payerChangeSchema,
  subscriptionSchema,
  subscriptionStatusSchema,
} from '../../views/subscription.ts';
import { filled } from './filled.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN, TX_HASH } from './ids.ts';

/** What the resource and its status view show alike. */
const shared = {
  id: IDS.subscription,
  customerId: IDS.customer,
  consecutiveFailures: 0,
  customVariables: { seats: 3 },
  tokenKey: TOKEN.tokenKey,
  payerWallet: ADDRESSES.payer,
  model: 'fixed',
  isPaused: false,
  isTrialing: false,
} as const;

/** The answer of POST /subscriptions: it waits for the payer to authorize. */
export const newSubscription = filled(subscriptionSchema, {
  ...shared,
  merchantId: IDS.merchant,
  offerId: IDS.offer,
  offerPriceId: IDS.monthly,
  offerName: 'Pro plan',
  priceAmount: '9.90',
  priceCurrency: 'USD',
  chainId: TOKEN.chainId,
  status: 'pending',
  allowanceConfirmed: false,
  cyclesCompleted: 0,
  afterCompletion: { redirect: 'https://shop.example/thanks' },
  isSandbox: true,
  idempotencyKey: 'e4d3b6a8-1f2c-4c59-b1a7-9d8c2e6f5a34',
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.created,
  authorizationUrl: 'https://pay.example.com/checkout/authorize/Zk3vQm8xT1yW6rB9nC2dF5gH7jK0pL4sA-uEoI_tYqM',
});

/** The same subscription after its first charge has settled. */
export const activeSubscription: typeof newSubscription = {
  ...newSubscription,
  status: 'active',
  currentPeriodEnd: MOMENTS.periodEnd,
  allowanceConfirmed: true,
  cyclesCompleted: 1,
  updatedAt: MOMENTS.settled,
  authorizationUrl: null,
};

/** The same subscription, canceled by the merchant. */
export const canceledSubscription: typeof newSubscription = {
  ...activeSubscription,
  status: 'canceled',
  canceledAt: '2026-02-01T16:20:05.114Z',
  canceledBy: 'merchant',
  updatedAt: '2026-02-01T16:20:05.114Z',
};

/** Its status view after the first charge, from GET /subscriptions/{subscriptionId}. */
export const subscriptionStatusView = filled(subscriptionStatusSchema, {
  ...shared,
  status: 'active',
  currentPeriodEnd: MOMENTS.periodEnd,
  allowanceConfirmed: true,
  cyclesCompleted: 1,
  lastInvoice: filled(invoiceSchema, {
    id: `inv_${IDS.cycle}`,
    subscriptionId: IDS.subscription,
    merchantId: IDS.merchant,
    idempotencyKey: `cycle:${IDS.subscription}:1`,
    grossAmount: '9.90',
    platformAmount: '0.099',
    merchantAmount: '9.801',
    ...TOKEN,
    pullTxHash: TX_HASH,
    merchantTransferTxHash: TX_HASH,
    platformTransferTxHash: TX_HASH,
    status: 'settled',
    isSandbox: true,
    createdAt: MOMENTS.firstCharge,
    updatedAt: MOMENTS.settled,
  }),
});

/** The answer of POST /subscriptions/{subscriptionId}/change-payer. */
export const payerChange: z.output<typeof payerChangeSchema> = {
  id: IDS.subscription,
  authorizationUrl: 'https://pay.example.com/checkout/authorize/q2WnB7xKc0TfZ5vRjL8yHdS1mPgA4oEu-I6tNbX_3kQ',
};

/** The answer of POST /subscriptions/{subscriptionId}/migrate. */
export const openMigration: z.output<typeof migrationSchema> = {
  id: IDS.subscription,
  status: 'pending_authorization',
  priceId: IDS.yearly,
  pendingOfferPriceId: IDS.yearly,
  pendingPriceId: IDS.yearly,
  authorizationUrl: 'https://pay.example.com/checkout/authorize/q2WnB7xKc0TfZ5vRjL8yHdS1mPgA4oEu-I6tNbX_3kQ',
  quote: { at: MOMENTS.periodEnd, paidUntil: MOMENTS.periodEnd, now: '0.00', credit: '0.00', later: '99.00' },
};
