import { ROUTES } from '../../src/api/routes.ts';
import { type CountedService, startCountedService } from '../../tools/bench/api/counted-service.ts';
import { countRoundTrips, type RoundTrips } from '../../tools/bench/api/round-trips.ts';

/**
 * How often one request may call MongoDB, with all that it begins in its process. Two of them are the way in: the key with
 * its merchant, and the count of day and minute. Where a charge is made on the chain, the caller asks again until it is
 * over; where effects follow, they are taken out of their outboxes together or apart. On a busy machine there are more of
 * both, so these have room; what only reads has none.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  'GET /currencies': 2,
  'POST /offers': 3,
  'GET /offers': 3,
  'PATCH /offers/batch': 6,
  'DELETE /offers/batch': 7,
  'GET /offers/{offerId}': 3,
  'PATCH /offers/{offerId}': 4,
  'DELETE /offers/{offerId}': 7,
  'POST /offers/{offerId}/pricing': 5,
  'DELETE /offers/{offerId}/pricing/{priceId}': 4,
  'GET /wallets': 3,
  'POST /wallets': 14,
  'DELETE /wallets/{id}': 3,
  'POST /customers': 10,
  'GET /customers': 3,
  'GET /customers/{customerId}': 3,
  'PATCH /customers/{customerId}': 14,
  'DELETE /customers/{customerId}': 16,
  'POST /subscriptions': 30,
  'GET /subscriptions': 3,
  'GET /subscriptions/{subscriptionId}': 4,
  'PATCH /subscriptions/{subscriptionId}': 14,
  'DELETE /subscriptions/{subscriptionId}': 24,
  'POST /subscriptions/{subscriptionId}/cancel': 18,
  'POST /subscriptions/{subscriptionId}/retry': 60,
  'POST /subscriptions/{subscriptionId}/resume': 30,
  'POST /subscriptions/{subscriptionId}/migrate': 30,
  'POST /payments': 50,
  'GET /payments': 3,
  'GET /payments/{paymentId}': 3,
  'GET /payments/{paymentId}/proof': 4,
  'POST /payments/{paymentId}/cancel': 6,
  'PATCH /webhooks/endpoint': 3,
  'GET /webhooks/endpoint': 3,
  'GET /webhooks/secret': 3,
  'POST /webhooks/secret/rotate': 4,
  'GET /events': 3,
  'GET /events/{eventId}': 4,
  'POST /events/{eventId}/redeliver': 14,
  'POST /sandbox/charge': 90,
  'POST /sandbox/advance': 40,
};

/** What is refused by design; everything else must have been carried out to be counted. */
const REFUSED: Readonly<Record<string, number>> = {
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

  it('are counted of requests that were carried out', () => {
    const unexpected = found.filter(({ route, status }) => (REFUSED[route] ?? 0) !== status && status >= 300);
    expect(unexpected).toEqual([]);
  });

  it('of one request are within its budget', () => {
    expect(found.filter(({ route, roundTrips }) => roundTrips > (BUDGETS[route] ?? 0))).toEqual([]);
  });

  it('are made by every request: the key and the limits are never taken from memory', () => {
    expect(found.filter(({ roundTrips }) => roundTrips < 2)).toEqual([]);
  });
});
