import { z } from 'zod';
import { replaceVariables } from '../../billing/subscriptions/subscriptions.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { customVariables, fixed } from '../../http/input/fields.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { activeSubscription } from '../openapi/examples/subscription.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

/** Fields that can be updated, and known fields that cannot (docs/rules.md, "Errors"). */
const body = z.object({
  customVariables: customVariables
    .nullish()
    .describe('Replaces the present variables; `null` empties them. At most 50 keys and 8 KB of JSON.'),
  id: fixed,
  merchantId: fixed,
  offerId: fixed,
  offerPriceId: fixed,
  priceId: fixed,
  offerName: fixed,
  priceAmount: fixed,
  priceCurrency: fixed,
  customerId: fixed,
  chainId: fixed,
  status: fixed,
  currentPeriodEnd: fixed,
  allowanceConfirmed: fixed,
  cyclesCompleted: fixed,
  consecutiveFailures: fixed,
  afterCompletion: fixed,
  isSandbox: fixed,
  idempotencyKey: fixed,
  affiliatePartnerId: fixed,
  affiliateCommissionPct: fixed,
  createdAt: fixed,
  updatedAt: fixed,
  tokenKey: fixed,
  payerWallet: fixed,
  authorizationUrl: fixed,
  cancelAt: fixed,
  canceledAt: fixed,
  canceledBy: fixed,
  approvalRevokedAt: fixed,
  trialEnd: fixed,
  trialStartedAt: fixed,
  isTrialing: fixed,
  pendingOfferPriceId: fixed,
  blockedReason: fixed,
});

export const updateSubscription = endpoint({
  summary: 'Replace the custom variables of a subscription, its only mutable field',
  id: 'updateSubscription',
  description: 'Replaces `customVariables` as a whole.',
  params: subscriptionParams,
  body,
  responses: { 200: subscriptionSchema },
  errors: [404],
  notes: {
    400: 'Not valid, a field that cannot be updated, or nothing to update.',
  },
  messages: { 400: 'status cannot be updated' },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { customVariables: { seats: 5 } },
    answer: { status: 200, body: { ...activeSubscription, customVariables: { seats: 5 } } },
  },
  handle: async ({ params, body: { customVariables: variables }, caller }, deps) => {
    if (variables === undefined)
      throw invalid('body must have at least one field that can be updated: customVariables');
    const { subscriptionId } = params;
    const updated = await replaceVariables(deps, caller, subscriptionId, variables ?? {}, 'api');
    return answer(200, subscriptionView(updated, deps.clock()));
  },
});
