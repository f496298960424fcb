import { STAFF_ROUTES } from '../../src/staff/routes.ts';
import { ALICE } from '../support/bodies.ts';
import { expectError, STAFF_TOKEN, useHttp } from '../support/http.ts';
import { NOBODY, staff } from './support/staff.ts';

const http = useHttp();
const rows = STAFF_ROUTES.map((row) => [row.method, row.path, row] as const);

describe('the table of the staff API', () => {
  it('has each method and path once', () => {
    const names = rows.map(([method, path]) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(rows)('declares every parameter of %s %s, and needs a reason for a change', (...[, , row]) => {
    const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(row.endpoint.params.shape)).toEqual(inPath);
    const changesMerchant = row.method !== 'GET' && (inPath.length > 0 || row.path.startsWith('/letters/'));
    const { reason } = row.endpoint.body.shape;
    expect(reason !== undefined && !reason.safeParse(undefined).success).toBe(changesMerchant);
  });
});

describe('401, on every route', () => {
  it.each(rows)('answers %s %s without a token with the same bytes', async (method, path) => {
    http.later(60_000);
    const { merchant, testKey } = await http.merchant();
    const url = `${http.url}/staff/api${path.replace('{merchantId}', merchant._id).replaceAll(/\{\w+\}/g, 'x')}`;
    const tokens = ['', 'Bearer', 'Bearer wrong', `Basic ${STAFF_TOKEN}`, STAFF_TOKEN, `Bearer ${STAFF_TOKEN} x`];
    const others = [{}, { 'X-API-Key': testKey }, { Cookie: `tideline_staff=${'a'.repeat(43)}` }];
    const strangers = [...others, ...tokens.map((Authorization) => ({ Authorization }))];
    const answers = strangers.map(async (headers) => {
      const response = await fetch(url, { method, headers: new Headers(Object.entries(headers)) });
      return [response.status, await response.text()];
    });
    expect(await Promise.all(answers)).toEqual(strangers.map(() => [401, '{"error":"Unauthorized"}']));
  });
});

describe('404', () => {
  it.each(rows.filter(([, path]) => path.includes('{merchantId}')))(
    'answers %s %s for an unknown merchant',
    async (method, path) => {
      const person = path.endsWith('/members') ? { name: 'Mia', role: 'viewer' } : {};
      const wallet = { mode: 'test', tokenKey: 'usdc-base', receiverWallet: ALICE };
      const body = { reason: 'r', feeBps: 1, ...wallet, ...person };
      const asked = path.replaceAll(/\{\w+\}/g, NOBODY);
      expectError(await staff(http, method, asked, method === 'GET' ? undefined : body), 404, 'Not found');
      expect(await http.store.records.count('wallets', {})).toBe(0);
    },
  );
});
