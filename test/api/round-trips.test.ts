import { ROUTES } from '../../src/api/routes.ts';
import { type CountedService, startCountedService } from './support/counted-service.ts';
import { countRoundTrips, type RoundTrips } from './support/round-trips.ts';

/**
 * The most MongoDB calls of one request in a process that only serves, and the most documents that it writes. Two calls
 * are the entry: the key with its merchant, and the count of day and minute. A read writes nothing. A change is one
 * document for workers, and one call that removes their answer. A caller of a charge on the chain polls until it ends,
 * which takes more calls on a busy machine, so these budgets are generous.
 */
const BUDGETS: Readonly<Record<string, readonly [roundTrips: number, documents: number]>> = {
  'GET /currencies': [2, 0],
  'POST /offers': [4, 1],
  'GET /offers': [3, 0],
  'PATCH /offers/batch': [8, 2],
  'DELETE /offers/batch': [6, 1],
  'GET /offers/{offerId}': [3, 0],
  'PATCH /offers/{offerId}': [5, 1],
  'DELETE /offers/{offerId}': [6, 1],
  'POST /offers/{offerId}/pricing': [6, 1],
  'DELETE /offers/{offerId}/pricing/{priceId}': [5, 1],
  'GET /wallets': [5, 0],
  'POST /wallets': [9, 1],
  'DELETE /wallets/{id}': [3, 0],
  'POST /customers': [4, 1],
  'GET /customers': [3, 0],
  'GET /customers/{customerId}': [3, 0],
  'PATCH /customers/{customerId}': [5, 1],
  'DELETE /customers/{customerId}': [5, 1],
  'POST /customers/{customerId}/portal-session': [4, 1],
  'POST /subscriptions': [7, 2],
  'GET /subscriptions': [4, 0],
  'GET /subscriptions/{subscriptionId}': [8, 0],
  'PATCH /subscriptions/{subscriptionId}': [7, 1],
  'DELETE /subscriptions/{subscriptionId}': [7, 1],
  'POST /subscriptions/{subscriptionId}/cancel': [7, 1],
  'POST /subscriptions/{subscriptionId}/retry': [60, 4],
  'POST /subscriptions/{subscriptionId}/resume': [60, 4],
  'POST /subscriptions/{subscriptionId}/migrate': [9, 2],
  'DELETE /subscriptions/{subscriptionId}/migrate': [7, 1],
  'POST /subscriptions/{subscriptionId}/quantity': [12, 2],
  'POST /subscriptions/{subscriptionId}/discount': [16, 5],
  'DELETE /subscriptions/{subscriptionId}/discount': [12, 2],
  'POST /coupons': [5, 2],
  'GET /coupons': [3, 0],
  'GET /coupons/{couponId}': [3, 0],
  'PATCH /coupons/{couponId}': [4, 1],
  'GET /coupons/{couponId}/redemptions': [4, 0],
  'POST /subscriptions/{subscriptionId}/usage': [8, 1],
  'GET /subscriptions/{subscriptionId}/usage': [7, 0],
  'POST /subscriptions/{subscriptionId}/pause': [12, 2],
  'POST /subscriptions/{subscriptionId}/change-payer': [6, 1],
  'POST /payments': [60, 5],
  'GET /payments': [5, 0],
  'GET /payments/{paymentId}': [5, 0],
  'GET /payments/{paymentId}/proof': [6, 0],
  'GET /payments/{paymentId}/invoice': [6, 0],
  'POST /payments/{paymentId}/cancel': [7, 1],
  'POST /payments/{paymentId}/refunds': [8, 1],
  'GET /payments/{paymentId}/refunds': [6, 0],
  'GET /payments/{paymentId}/refunds/{refundId}': [6, 0],
  'POST /payments/{paymentId}/refunds/{refundId}/cancel': [8, 1],
  'POST /payments/{paymentId}/refunds/{refundId}/sent': [7, 1],
  // One for each figure, and the names of the offers.
  'GET /revenue': [10, 0],
  // One for each month.
  'GET /revenue/cohorts': [14, 0],
  'GET /settlements': [11, 0],
  'GET /account': [3, 0],
  'PATCH /account': [3, 1],
  'PATCH /webhooks/endpoint': [3, 1],
  'GET /webhooks/endpoint': [3, 0],
  'GET /webhooks/secret': [3, 0],
  'POST /webhooks/secret/rotate': [4, 1],
  'GET /events': [4, 0],
  'GET /events/{eventId}': [3, 0],
  'POST /events/{eventId}/redeliver': [6, 1],
  'POST /sandbox/charge': [90, 5],
  'POST /sandbox/advance': [40, 2],
};

/** Requests that are refused by design; every other request must succeed to be counted. */
const REFUSED: Readonly<Record<string, number>> = {
  'GET /payments/{paymentId}/invoice': 404,
  'DELETE /wallets/{id}': 409,
  'POST /payments/{paymentId}/cancel': 409,
};

describe('round trips to MongoDB', () => {
  let service: CountedService | null = null;
  let found: readonly RoundTrips[];

  beforeAll(async () => {
    service = await startCountedService();
    found = await countRoundTrips(service);
  }, 180_000);

  afterAll(() => service?.stop(), 30_000);

  it('have a budget for every route', () => {
    expect(Object.keys(BUDGETS).sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('are counted for successful requests', () => {
    const unexpected = found.filter(({ route, status }) => (REFUSED[route] ?? 0) !== status && status >= 300);
    expect(unexpected).toEqual([]);
  });

  it('of one request stay within its budget', () => {
    expect(found.filter(({ route, roundTrips }) => roundTrips > (BUDGETS[route]?.[0] ?? 0))).toEqual([]);
  });

  it('write no more documents than the budget of the request', () => {
    expect(found.filter(({ route, documents }) => documents > (BUDGETS[route]?.[1] ?? 0))).toEqual([]);
  });

  it('happen in every request: key and limits are never cached', () => {
    expect(found.filter(({ roundTrips }) => roundTrips < 2)).toEqual([]);
  });
});
