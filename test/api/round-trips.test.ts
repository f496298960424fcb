import { ROUTES } from '../../src/api/routes.ts';
import { type CountedService, startCountedService } from '../../tools/bench/api/counted-service.ts';
import { countRoundTrips, type RoundTrips } from '../../tools/bench/api/round-trips.ts';

/**
 * The most MongoDB calls of one request, and the most documents that it writes or removes, with all that it starts in
 * its process.
 * Two calls are the entry: the key with its merchant, and the count of day and minute. A read writes nothing. A caller
 * of a charge on the chain polls until it ends, and effects leave their outboxes together or apart; on a busy machine
 * both take more calls, so these budgets are generous. Budgets of pure reads have none.
 */
const BUDGETS: Readonly<Record<string, readonly [roundTrips: number, documents: number]>> = {
  'GET /currencies': [2, 0],
  'POST /offers': [3, 1],
  'GET /offers': [3, 0],
  'PATCH /offers/batch': [6, 2],
  'DELETE /offers/batch': [8, 3],
  'GET /offers/{offerId}': [3, 0],
  'PATCH /offers/{offerId}': [4, 1],
  'DELETE /offers/{offerId}': [8, 3],
  'POST /offers/{offerId}/pricing': [5, 1],
  'DELETE /offers/{offerId}/pricing/{priceId}': [4, 1],
  'GET /wallets': [5, 0],
  'POST /wallets': [18, 7],
  'DELETE /wallets/{id}': [3, 0],
  'POST /customers': [14, 8],
  'GET /customers': [3, 0],
  'GET /customers/{customerId}': [3, 0],
  'PATCH /customers/{customerId}': [18, 8],
  'DELETE /customers/{customerId}': [20, 8],
  'POST /customers/{customerId}/portal-session': [4, 1],
  'POST /subscriptions': [50, 20],
  'GET /subscriptions': [4, 0],
  'GET /subscriptions/{subscriptionId}': [8, 0],
  'PATCH /subscriptions/{subscriptionId}': [14, 1],
  'DELETE /subscriptions/{subscriptionId}': [26, 14],
  'POST /subscriptions/{subscriptionId}/cancel': [18, 6],
  'POST /subscriptions/{subscriptionId}/retry': [60, 12],
  'POST /subscriptions/{subscriptionId}/resume': [30, 7],
  'POST /subscriptions/{subscriptionId}/migrate': [44, 10],
  'POST /subscriptions/{subscriptionId}/change-payer': [6, 1],
  'POST /payments': [50, 8],
  'GET /payments': [5, 0],
  'GET /payments/{paymentId}': [5, 0],
  'GET /payments/{paymentId}/proof': [6, 0],
  'POST /payments/{paymentId}/cancel': [9, 0],
  // One for each figure.
  'GET /revenue': [8, 0],
  'PATCH /webhooks/endpoint': [3, 1],
  'GET /webhooks/endpoint': [3, 0],
  'GET /webhooks/secret': [3, 0],
  'POST /webhooks/secret/rotate': [4, 1],
  'GET /events': [4, 0],
  'GET /events/{eventId}': [5, 0],
  'POST /events/{eventId}/redeliver': [16, 7],
  'POST /sandbox/charge': [90, 12],
  'POST /sandbox/advance': [40, 12],
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
    expect(found.filter(({ route, roundTrips }) => roundTrips > (BUDGETS[route]?.[0] ?? 0))).toEqual([]);
  });

  it('write no more documents than the budget of the request', () => {
    expect(found.filter(({ route, documents }) => documents > (BUDGETS[route]?.[1] ?? 0))).toEqual([]);
  });

  it('happen in every request: key and limits are never cached', () => {
    expect(found.filter(({ roundTrips }) => roundTrips < 2)).toEqual([]);
  });
});
