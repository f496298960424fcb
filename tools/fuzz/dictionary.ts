import fc from 'fast-check';
import { listNode, mapNode, type Node, nodeOf, refNode } from './node.ts';
import type { Role } from './view.ts';

/** Texts that mean something to the service, which a schema cannot say: by operation and field name. */
export type Meaning = fc.Arbitrary<Node>;

const NTH_MAX = 40;

function one(role: Role): Meaning {
  return fc.constant(refNode(role));
}

function any(role: Role, isOthers = false): Meaning {
  return fc.nat(NTH_MAX).map((nth) => refNode(role, nth, isOthers));
}

function texts(...values: readonly string[]): Meaning {
  return fc.constantFrom(...values).map(nodeOf);
}

/** Mostly the amount of other requests. */
const amounts: Meaning = fc.oneof(
  { weight: 6, arbitrary: texts('10.00') },
  { weight: 8, arbitrary: texts('25', '1', '1.5', '9.99', '0.50', '1000000000', '0.000001', '1.000000000000000001') },
);

/** A customer's wallets: on EVM, on Solana, or both. */
const customerWallets: Meaning = fc
  .tuple(fc.constantFrom<Role>('evmPayer', 'evmPayer', 'evmAddress'), fc.nat(NTH_MAX), fc.nat({ max: 3 }))
  .map(([role, nth, families]) => {
    const evm = { chainFamily: 'evm', address: refNode(role, nth) };
    const solana = { chainFamily: 'solana', address: refNode('solanaAddress', nth) };
    return nodeOf([...(families === 1 ? [] : [evm]), ...(families === 1 || families === 2 ? [solana] : [])]);
  });

const billing: Meaning = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('day', 'week', 'month', 'year'), fc.constantFrom(null, 1, 3, 365))
      .map(([interval, intervalCount]) =>
        nodeOf({ type: 'recurring', interval, ...(intervalCount === null ? {} : { intervalCount }) }),
      ),
  },
  { weight: 1, arbitrary: fc.constant(nodeOf({ type: 'one_time' })) },
);

const splits: Meaning = fc
  .uniqueArray(fc.nat(NTH_MAX), { minLength: 1, maxLength: 4 })
  .map((nths) => nodeOf(nths.map((nth) => ({ address: refNode('evmAddress', nth), percentage: '12.5' }))));

const acceptedTokens: Meaning = fc
  .uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 })
  .map((nths) => nodeOf(nths.map((nth) => refNode('token', nth))));

const destination: Meaning = fc.oneof(
  any('evmAddress'),
  any('evmAddress').map((address) => mapNode([['evm', address]])),
);

/** Names that never resolve, so that no request leaves this machine. */
const urls = texts('http://fuzz.invalid/hook', 'https://fuzz.invalid/hook?a=%00', 'http://127.0.0.1:9/', '');

const keys: Meaning = fc.oneof(
  { weight: 3, arbitrary: one('fresh') },
  { weight: 1, arbitrary: fc.oneof(any('usedKey'), any('usedKey', true)) },
);

/** A field of one model of a price, which other models refuse. */
function rarely(value: Parameters<typeof nodeOf>[0]): Meaning {
  return fc
    .oneof({ weight: 40, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant(value) })
    .map(nodeOf);
}

/** By field, in every operation. */
const EVERYWHERE: Readonly<Record<string, Meaning>> = {
  offerId: any('offer'),
  priceId: any('price'),
  customerId: one('customer'),
  active: fc.constantFrom(true, true, true, false).map(nodeOf),
  availableQuantity: fc.constantFrom(null, null, 1_000_000_000, 100, 1, 0).map(nodeOf),
  subscriptionId: one('subscription'),
  paymentId: one('payment'),
  refundId: one('refund'),
  eventId: any('event'),
  known: any('event'),
  tokenKey: one('token'),
  acceptedTokens,
  receiverWallet: one('receiver'),
  toWallet: one('receiver'),
  refundWallet: one('receiver'),
  fromWallet: one('payer'),
  walletAddress: fc.oneof(any('evmPayer'), any('evmAddress')),
  wallets: customerWallets,
  merchantDestinationWallet: destination,
  splitEvm: splits,
  splitSolana: fc.constant(listNode([])),
  amount: amounts,
  percentage: texts('0.01', '50', '100'),
  affiliateCommissionPct: texts('0', '12.5', '100'),
  currency: texts('USD', 'USD', 'EUR', 'GBP', 'USDC', 'usdt', 'USDX'),
  billing,
  identifier: fc.oneof({ weight: 3, arbitrary: one('fresh') }, { weight: 1, arbitrary: any('usedSlug') }),
  idempotencyKey: keys,
  url: urls,
  imageUrl: texts('https://img.invalid/x.png', 'HTTP://[::1]:1/?q=%F0#x'),
  timeZone: texts('UTC', 'Asia/Tokyo', 'America/New_York'),
  email: texts('payer@example.com', 'ö@例え.テスト', 'a@b'),
  expiresAt: texts(
    '2031-01-01T00:00:00.000Z',
    '2031-06-01T00:00:00+05:30',
    '2032-02-29T23:59:59Z',
    '2020-01-01T00:00:00Z',
  ),
  // A model and its limits have to fit, and seldom do.
  model: fc.constantFrom(null, null, null, 'fixed', 'per_unit').map(nodeOf),
  minQuantity: fc.constantFrom(null, null, null, 1).map(nodeOf),
  maxQuantity: fc.constantFrom(null, null, null, 9).map(nodeOf),
  quantityChangedBy: fc.constantFrom(null, null, null, 'customer').map(nodeOf),
  includedUnits: rarely(5),
  tiers: rarely([]),
  capAmount: rarely('50.00'),
  aboveCap: rarely('refuse'),
  thresholdAmount: rarely('10.00'),
  windowCapAmount: rarely('100.00'),
  quantity: fc.constantFrom(null, null, null, 1, 2).map(nodeOf),
  couponId: any('coupon'),
  to: any('soon'),
  until: any('soon'),
  days: fc.constantFrom(1, 7, 31, 62).map(nodeOf),
};

/** By operation and field. */
const IN_OPERATION: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  retirePricing: { offerId: one('offerOfPrice'), priceId: one('price') },
  sandboxAdvance: {
    subscriptionId: one('subscription'),
    status: texts('active', 'active', 'past_due', 'past_due', 'past_due', 'canceled'),
  },
  createSubscription: {
    customerId: one('payingCustomer'),
    priceId: one('recurringPrice'),
    offerPriceId: one('recurringPrice'),
    offerId: one('offerOfRecurringPrice'),
    tokenKey: one('tokenOfRecurringPrice'),
    couponId: rarely('cpn_01kc9wf6q2t9w5y8b3d7g1k4nm'),
  },
  recordUsage: { quantity: fc.constantFrom(1, 100).map(nodeOf) },
  changeQuantity: { quantity: fc.constantFrom(1, 2, 3).map(nodeOf) },
  migrateSubscription: {
    priceId: one('priceBeside'),
    when: texts('period_end', 'period_end', 'now'),
    proration: texts('none', 'none', 'credit'),
  },
  getPaymentProof: { paymentId: one('settledPayment') },
  createRefund: { paymentId: one('settledPayment'), amount: texts('0.01', '0.5', '1', '1', '25') },
  getRefund: { paymentId: one('paymentOfRefund') },
  cancelRefund: { paymentId: one('paymentOfRefund') },
  noteRefundSent: { paymentId: one('paymentOfRefund') },
  listEvents: { wait: texts('0', '0', '0', '1') },
  deleteWallet: { id: any('wallet') },
  updateOffers: { id: any('offer') },
  deleteOffers: { ids: fc.array(any('offer'), { minLength: 1, maxLength: 3 }).map(listNode) },
};

/** Fields that the schema calls optional, but without which the operation does nothing. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  createSubscription: ['priceId', 'tokenKey'],
  createPayment: ['fromWallet'],
  updateCustomer: ['name'],
  updateSubscription: ['customVariables'],
  setWebhookEndpoint: ['url'],
  deleteOffers: ['ids'],
};

export function isNeeded(operationId: string, field: string): boolean {
  return NEEDED[operationId]?.includes(field) ?? false;
}

/** Values with a meaning for this field; null: the schema is enough. */
export function meaningOf(operationId: string, field: string): Meaning | null {
  const own = IN_OPERATION[operationId];
  if (own !== undefined && Object.hasOwn(own, field)) return own[field] ?? null;
  return Object.hasOwn(EVERYWHERE, field) ? (EVERYWHERE[field] ?? null) : null;
}
