import fc from 'fast-check';
import type { Role } from './known.ts';
import { NTH_MAX, ref, weighted } from './tokens.ts';

/** Values that mean something to the service, which a schema cannot say. */
type Meaning = fc.Arbitrary<unknown>;

/** Seldom a resource of another tenant, which must be unknown. */
const isOthers = weighted([15, fc.constant(false)], [1, fc.constant(true)]);

function one(role: Role): Meaning {
  return isOthers.map((is) => ref(role, null, is));
}

function any(role: Role): Meaning {
  return fc.tuple(fc.nat(NTH_MAX), isOthers).map(([nth, is]) => ref(role, nth, is));
}

const address = fc.oneof(any('evmPayer'), any('evmPayer'), any('evmAddress'), any('solanaAddress'));
const billing = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('recurring'), interval: fc.constantFrom('day', 'week', 'month', 'year') }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'one_time' }) },
);
const share = fc.record({ address: any('evmAddress'), percentage: fc.constant('12.5') });

/** By operation and field, or by field in every operation. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  offerId: any('offer'),
  priceId: any('price'),
  offerPriceId: any('price'),
  customerId: one('customer'),
  subscriptionId: one('subscription'),
  paymentId: one('payment'),
  refundId: one('refund'),
  eventId: any('event'),
  couponId: any('coupon'),
  known: any('event'),
  tokenKey: one('token'),
  acceptedToken: any('token'),
  receiverWallet: one('receiver'),
  toWallet: one('receiver'),
  refundWallet: one('receiver'),
  fromWallet: one('payer'),
  walletAddress: address,
  address,
  merchantDestinationWallet: fc.oneof(any('evmAddress'), fc.record({ evm: any('evmAddress') })),
  splitEvm: fc.array(share, { minLength: 1, maxLength: 4 }),
  splitSolana: fc.constant([]),
  amount: fc.oneof(
    fc.constant('10.00'),
    fc.constantFrom('25', '1', '1.5', '9.99', '0.50', '1000000000', '0.000001', '1.000000000000000001'),
  ),
  currency: fc.constantFrom('USD', 'USD', 'EUR', 'GBP', 'USDC', 'usdt', 'USDX'),
  billing,
  identifier: fc.oneof(one('fresh'), one('fresh'), any('usedSlug')),
  code: fc.oneof(one('fresh'), one('fresh'), any('usedSlug')),
  idempotencyKey: fc.oneof(one('fresh'), one('fresh'), one('fresh'), any('usedKey'), any('usedKey')),
  // Names that never resolve, so that no request leaves this machine.
  url: fc.constantFrom('http://fuzz.invalid/hook', 'https://fuzz.invalid/hook?a=%00', 'http://127.0.0.1:9/', ''),
  active: fc.constantFrom(true, true, true, false),
  to: any('soon'),
  until: any('soon'),
  at: any('soon'),
  expiresAt: any('soon'),
  lt: any('soon'),
  lte: any('soon'),
  'listEvents wait': fc.constantFrom('0', '0', '0', '1'),
  'retirePricing offerId': one('offerOfPrice'),
  'retirePricing priceId': one('price'),
  'sandboxAdvance body': fc.oneof(
    fc.record({
      subscriptionId: one('subscription'),
      status: weighted([12, fc.constantFrom('active', 'past_due')], [1, fc.constant('canceled')]),
    }),
    fc.record({ subscriptionId: one('subscription'), days: fc.constantFrom(1, 7, 31) }),
    fc.record({ subscriptionId: one('subscription'), to: any('soon') }),
  ),
  'createSubscription priceId': one('price'),
  'createSubscription offerPriceId': one('price'),
  'createSubscription tokenKey': one('tokenOfPrice'),
  'migrateSubscription priceId': one('priceBeside'),
  'getPaymentProof paymentId': one('settledPayment'),
  'createRefund paymentId': one('settledPayment'),
  'createRefund amount': fc.constantFrom('0.01', '0.5', '1', '1', '25'),
  'getRefund paymentId': one('paymentOfRefund'),
  'cancelRefund paymentId': one('paymentOfRefund'),
  'noteRefundSent paymentId': one('paymentOfRefund'),
  'deleteWallet id': any('wallet'),
  'updateOffers id': any('offer'),
  'deleteOffers id': any('offer'),
};

/** True if the field means something special in this operation, which then needs it. */
export function hasMeaningIn(operationId: string, field: string): boolean {
  return Object.hasOwn(MEANINGS, `${operationId} ${field}`);
}

/** Values with a meaning for this field; null: the schema and its example are enough. */
export function meaningOf(operationId: string, field: string): Meaning | null {
  const name = [`${operationId} ${field}`, field].find((each) => Object.hasOwn(MEANINGS, each));
  return name === undefined ? null : (MEANINGS[name] ?? null);
}
