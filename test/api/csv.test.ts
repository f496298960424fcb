import { parse } from 'csv-parse/sync';
import type { JsonObject } from '../../machines/json.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { event } from '../store/support/documents.ts';
import { useHttp, useMerchant } from '../support/http.ts';
import { settledPayment } from '../support/settled-payment.ts';

const http = useHttp();
const merchant = useMerchant(http);

function log(data: JsonObject): Promise<unknown> {
  return http.store.records.insert('events', [
    event({ merchantId: merchant.id, mode: 'test', event: 'customer.deleted', data }),
  ]);
}

function ask(path: string, accept: string) {
  return http.send('GET', `/v1${path}`, { key: merchant.key, headers: { Accept: accept } });
}

function rowsOf(text: unknown): Record<string, string>[] {
  return parse(String(text), { columns: true, relax_column_count: false });
}

describe('GET /events with Accept: text/csv', () => {
  it('has the fields of JSON, each page with the address of the next', async () => {
    for (const name of ['a', 'b "quoted", and\r\nmore', 'c']) await log({ customerId: name });
    const json = await ask('/events?limit=3', 'application/json');
    const events: { id: string; data: object }[] = Reflect.get(Object(json.body), 'events');
    const first = await ask('/events?limit=2&start=0', 'text/csv');
    expect(first.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(first.headers.get('vary')).toBe('Accept');
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(next);
    expect(`${pathname}${search}`).toBe(`/v1/events?limit=2&startingAfter=${events[1]?.id}`);
    const last = await ask(`/events${search}`, 'text/csv');
    expect(last.headers.get('link')).toBeNull();
    const rows = [...rowsOf(first.body), ...rowsOf(last.body)];
    expect(rows.map((row) => ({ ...row, data: JSON.parse(row['data'] ?? '') }))).toEqual(
      events.map((event) => Object.fromEntries(Object.entries(event).map(([name, value]) => [name, textOf(value)]))),
    );
  });

  it('has only the names for an empty list', async () => {
    expect((await ask('/events?event=payment.failed', 'text/csv')).body).toBe(
      'id,event,createdAt,isSandbox,data,sequence\r\n',
    );
  });

  it.each([
    '*/*',
    'application/json',
    'text/html, application/json;q=0.9, */*;q=0.8',
    'text/csv;q=0.1, application/json',
  ])('is JSON for Accept: %s', async (accept) => {
    expect((await ask('/events', accept)).headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('GET /payments with Accept: text/csv', () => {
  it('keeps amounts as text, and disarms formulas', async () => {
    await settledPayment(http.store, {
      merchantId: merchant.id,
      amount: '12345678901234567890',
      attributes: { metadata: { note: '=1+1' }, subscriptionId: '=cmd()' },
    });
    const { body } = await ask('/payments', 'text/csv');
    const [row] = rowsOf(body);
    const json = await ask('/payments', 'application/json');
    const [payment] = Reflect.get(Object(json.body), 'payments');
    expect(Object.keys(row ?? {})).toEqual(Object.keys(payment));
    expect(row).toMatchObject({
      amount: payment.amount,
      metadata: '{"note":"=1+1"}',
      subscriptionId: "'=cmd()",
      failureReason: '',
    });
  });
});

describe('the merchant API', () => {
  it('serves every list with pages as CSV', () => {
    const lists = ROUTES.filter(({ endpoint }) => 'startingAfter' in endpoint.query.shape);
    expect(lists.map(({ path, endpoint }) => [path, endpoint.csv?.list])).toEqual([
      ['/offers', 'offers'],
      ['/customers', 'customers'],
      ['/subscriptions', 'subscriptions'],
      ['/coupons', 'coupons'],
      ['/coupons/{couponId}/redemptions', 'redemptions'],
      ['/payments', 'payments'],
      ['/settlements', 'settlements'],
      ['/events', 'events'],
    ]);
  });

  it.each(['/offers', '/customers', '/subscriptions'])('has the names of the fields of %s', async (path) => {
    const { body, headers } = await ask(path, 'text/csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(String(body)).toMatch(/^id,.*createdAt,.*\r\n$/);
  });
});

/** A value of JSON as a cell has it; an object stays one. */
function textOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : String(value);
}
