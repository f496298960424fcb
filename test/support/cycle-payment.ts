import type { PayerConsent } from '../../machines/consent.ts';
import { newPayment } from '../../machines/payment/context.ts';
import type { ActorDoc, Tenant } from '../../src/store/documents.ts';
import { actor } from '../store/support/documents.ts';

/** The payment of the second cycle of a subscription. `consent`: what its payer has signed. */
export function cyclePayment(tenant: Tenant, tokenKey: string, consent?: PayerConsent): ActorDoc {
  const period = { periodStart: '2030-01-15T10:00:00.000Z', periodEnd: '2030-02-15T10:00:00.000Z' };
  const cycleOf = { subscriptionId: 'sub_1', cycle: 2, ...period };
  const wish = { id: 'pay_1', cycleOf, amount: '1', fromWallet: '0xw', toWallet: null, forcedFailure: null };
  const context = newPayment({ ...wish, ...(consent === undefined ? {} : { consent }) });
  return actor({ ...tenant, kind: 'payment', attributes: { ...PAYMENT_ATTRIBUTES, ...CYCLE, tokenKey }, context });
}

const CYCLE = { source: 'subscription', subscriptionId: 'sub_1', cycle: 2 };

/** The attributes of a payment of no subscription, apart from its token. */
export const PAYMENT_ATTRIBUTES = {
  source: 'one_time',
  customerId: null,
  subscriptionId: null,
  cycle: null,
  offerId: null,
  priceId: null,
  chainId: 31_337,
  platformAmount: '0',
  merchantAmount: '1',
  feeBps: 0,
  splits: [],
  destination: null,
  paymentMethod: 'wallet_connect',
  affiliatePartnerId: null,
  affiliateCommissionPct: null,
  metadata: {},
  refundWallet: null,
  idempotencyKey: null,
  requestHash: null,
};
