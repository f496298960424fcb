import { ROUTES, statusesOf } from '../../src/api/routes.ts';

/**
 * The API in the reference, sections 4 and 8, with docs/rules.md, "Limits", where that says "not shown": production per day and
 * minute, sandbox per day and minute, and the statuses of the endpoint beside 400, 401, 429, 500 and 503.
 */
const REFERENCE: readonly (readonly [string, string, string])[] = [
  ['GET /currencies', '60000 240 20000 120', '200'],
  ['POST /offers', '15000 60 5000 30', '200 201 409'],
  ['GET /offers', '30000 120 10000 60', '200'],
  ['PATCH /offers/batch', '5000 20 2000 10', '200'],
  ['DELETE /offers/batch', '5000 20 2000 10', '200'],
  ['GET /offers/{offerId}', '60000 240 20000 120', '200 404'],
  ['PATCH /offers/{offerId}', '15000 60 5000 30', '200 404 409'],
  ['DELETE /offers/{offerId}', '15000 60 5000 30', '200 404 409'],
  ['POST /offers/{offerId}/pricing', '15000 60 5000 30', '201 404 409'],
  ['DELETE /offers/{offerId}/pricing/{priceId}', '15000 60 5000 30', '200 404 409'],
  ['GET /wallets', '30000 120 10000 60', '200'],
  ['POST /wallets', '15000 60 5000 30', '200 201'],
  ['DELETE /wallets/{id}', '15000 60 5000 30', '200 404 409'],
  ['POST /customers', '15000 60 5000 30', '200 201 409'],
  ['GET /customers', '30000 120 10000 60', '200'],
  ['GET /customers/{customerId}', '60000 240 20000 120', '200 404'],
  ['PATCH /customers/{customerId}', '15000 60 5000 30', '200 404 409'],
  ['DELETE /customers/{customerId}', '15000 60 5000 30', '200 404'],
  ['POST /customers/{customerId}/portal-session', '15000 60 5000 30', '201 404'],
  ['POST /subscriptions', '15000 60 5000 30', '200 201 404'],
  ['GET /subscriptions', '30000 120 10000 60', '200'],
  ['GET /subscriptions/{subscriptionId}', '60000 240 20000 120', '200 404'],
  ['PATCH /subscriptions/{subscriptionId}', '15000 60 5000 30', '200 404'],
  ['DELETE /subscriptions/{subscriptionId}', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/cancel', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/retry', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/resume', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/migrate', '15000 60 5000 30', '200 404'],
  ['POST /payments', '15000 60 5000 30', '200 201 404 409'],
  ['GET /payments', '30000 120 10000 60', '200'],
  ['GET /payments/{paymentId}', '60000 240 20000 120', '200 404'],
  ['GET /payments/{paymentId}/proof', '60000 240 20000 120', '200 404 409'],
  ['POST /payments/{paymentId}/cancel', '15000 60 5000 30', '200 404 409'],
  ['GET /revenue', '5000 20 2000 10', '200'],
  ['PATCH /webhooks/endpoint', '5000 60 2000 30', '200'],
  ['GET /webhooks/endpoint', '5000 60 2000 30', '200'],
  ['GET /webhooks/secret', '5000 60 2000 30', '200'],
  ['POST /webhooks/secret/rotate', '200 10 200 10', '200 409'],
  ['GET /events', '30000 120 10000 60', '200'],
  ['GET /events/{eventId}', '60000 240 20000 120', '200 404'],
  ['POST /events/{eventId}/redeliver', '200 10 200 10', '202 404 409'],
  ['POST /sandbox/charge', '0 0 2000 30', '200 403 404 409'],
  ['POST /sandbox/advance', '0 0 2000 30', '200 403 404 409'],
];

describe('the table of routes', () => {
  it('has the methods, paths and limits of the reference', () => {
    const table = ROUTES.map(({ method, path, limits: { live, test } }) => [
      `${method} ${path}`,
      `${live.day} ${live.minute} ${test.day} ${test.minute}`,
    ]);
    expect(table).toEqual(REFERENCE.map(([route, limits]) => [route, limits]));
  });

  it('documents the statuses that the reference lists', () => {
    const common = [400, 401, 429, 500, 503];
    const table = ROUTES.map((row) => [
      `${row.method} ${row.path}`,
      statusesOf(row)
        .filter((status) => !common.includes(status))
        .join(' '),
    ]);
    expect(table).toEqual(REFERENCE.map(([route, , statuses]) => [route, statuses]));
  });

  it.each(ROUTES.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'declares every parameter of %s',
    (_name, row) => {
      const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(row.endpoint.params.shape)).toEqual(inPath);
    },
  );

  it('has each method and path once, with a summary', () => {
    const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { endpoint } of ROUTES) expect(endpoint.summary).toMatch(/^[A-Z].*[^.]$/);
  });
});
