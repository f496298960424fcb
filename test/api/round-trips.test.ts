import { ROUTES } from '../../src/api/routes.ts';
import { type CountedService, startCountedService } from '../../tools/bench/api/counted-service.ts';
import { countRoundTrips, type RoundTrips } from '../../tools/bench/api/round-trips.ts';

/**
 * The most MongoDB calls of one request, with all that it starts in its process. Two are the entry: the key with its merchant,
 * and the count of day and minute. A caller of a charge on the chain polls until it ends, and effects leave their outboxes
 * together or apart; on a busy machine both take more calls, so these budgets have room. Budgets of pure reads have none.
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
  'GET /wallets': 4,
  'POST /wallets': 17,
  'DELETE /wallets/{id}': 3,
  'POST /customers': 10,
  'GET /customers': 3,
  'GET /customers/{customerId}': 3,
  'PATCH /customers/{customerId}': 14,
  'DELETE /customers/{customerId}': 16,
  'POST /customers/{customerId}/portal-session': 4,
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
  // One for each figure.
  'GET /revenue': 8,
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

/** Requests that are refused by design; every other request must succeed to be counted. */
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

  it('are counted for successful requests', () => {
    const unexpected = found.filter(({ route, status }) => (REFUSED[route] ?? 0) !== status && status >= 300);
    expect(unexpected).toEqual([]);
  });

  it('of one request stay within its budget', () => {
    expect(found.filter(({ route, roundTrips }) => roundTrips > (BUDGETS[route] ?? 0))).toEqual([]);
  });

  it('happen in every request: key and limits are never cached', () => {
    expect(found.filter(({ roundTrips }) => roundTrips < 2)).toEqual([]);
  });
});
