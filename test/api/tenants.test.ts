import { z } from 'zod';
import { ROUTES, type Route, takesMode } from '../../src/api/routes.ts';
import type { Mode } from '../../src/store/documents.ts';
import { localChain } from '../../stage/scripted-chain.ts';
import { ALICE, BOB, offerBody } from '../support/bodies.ts';
import { idOf, idsOf, priceIdOf, startHttp } from '../support/http.ts';

/** One resource of each kind of a merchant in an environment. */
interface Ids {
  readonly offerId: string;
  readonly priceId: string;
  readonly walletId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly paymentId: string;
  readonly eventId: string;
  readonly couponId: string;
}

interface Tenant {
  readonly name: string;
  readonly mode: Mode;
  readonly key: string;
  readonly ids: Ids;
}

/** A call that names a resource of `theirs` beside the caller's own. */
interface Naming {
  readonly what: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  /** 404 by default; a list finds nothing, and a batch answers for each item. */
  readonly status?: 200 | 400 | 404;
}

/** Only a field of the body is named. */
const NOT_FOUND = /^\{"error":"Not found(: [\w ]+ names nothing of this merchant in this mode)?"\}$/;

const NAMES_NOTHING = 'names nothing that could be another’s';

type Case = typeof NAMES_NOTHING | ((theirs: Ids, mine: Ids) => readonly Naming[]);

const TOKEN = 'usdc-base';
const WALLET = { chainFamily: 'evm', address: ALICE };
const PRICING = { amount: '5', acceptedTokens: [TOKEN], billing: { type: 'recurring', interval: 'year' } };

/** The table has the ids of paths; the ids in bodies and queries are here. */
const inPath =
  (body?: object): Case =>
  () => [{ what: 'in the path', ...(body === undefined ? {} : { body }) }];

const filteredBy =
  (...names: readonly (keyof Ids)[]): Case =>
  (theirs) =>
    names.map((name) => ({ what: name, query: `${name}=${theirs[name]}`, status: 200 }));

/** Every route, with the ids that it may name. */
const CASES: Readonly<Record<string, Case>> = {
  'GET /currencies': NAMES_NOTHING,

  'POST /offers': NAMES_NOTHING,
  'GET /offers': NAMES_NOTHING,
  'PATCH /offers/batch': ({ offerId: id }) => [
    { what: 'an item', body: { offers: [{ id, name: 'Mine now' }] }, status: 200 },
  ],
  'DELETE /offers/batch': ({ offerId: id }) => [
    { what: 'an item', body: { ids: [id] }, status: 200 },
    { what: 'an item of the query', query: `ids=${id}`, status: 200 },
  ],
  'GET /offers/{offerId}': inPath(),
  'PATCH /offers/{offerId}': inPath({ name: 'Mine now' }),
  'DELETE /offers/{offerId}': inPath(),
  'POST /offers/{offerId}/pricing': inPath(PRICING),
  'DELETE /offers/{offerId}/pricing/{priceId}': ({ priceId }, mine) => [
    { what: 'both in the path' },
    { what: 'the price alone', path: { offerId: mine.offerId, priceId } },
  ],

  'GET /wallets': NAMES_NOTHING,
  'POST /wallets': NAMES_NOTHING,
  'DELETE /wallets/{id}': inPath(),

  'POST /customers': NAMES_NOTHING,
  'GET /customers': NAMES_NOTHING,
  'GET /customers/{customerId}': inPath(),
  'PATCH /customers/{customerId}': inPath({ name: 'Mine now' }),
  'DELETE /customers/{customerId}': inPath(),
  'POST /customers/{customerId}/portal-session': inPath(),

  'POST /subscriptions': ({ customerId, priceId, offerId, couponId }, mine) => [
    { what: 'all of it', body: { customerId, priceId, offerId } },
    { what: 'the customer', body: { customerId, priceId: mine.priceId } },
    { what: 'the price', body: { customerId: mine.customerId, priceId } },
    { what: 'the offer', body: { customerId: mine.customerId, priceId: mine.priceId, offerId } },
    { what: 'the coupon', body: { customerId: mine.customerId, priceId: mine.priceId, couponId } },
  ],
  'GET /subscriptions': filteredBy('customerId', 'offerId'),
  'GET /subscriptions/{subscriptionId}': inPath(),
  'PATCH /subscriptions/{subscriptionId}': inPath({ customVariables: { mine: true } }),
  'DELETE /subscriptions/{subscriptionId}': inPath(),
  'POST /subscriptions/{subscriptionId}/cancel': inPath({}),
  'POST /subscriptions/{subscriptionId}/retry': inPath({}),
  'POST /subscriptions/{subscriptionId}/resume': inPath({}),
  'DELETE /subscriptions/{subscriptionId}/migrate': inPath(),
  'POST /subscriptions/{subscriptionId}/quantity': inPath({ quantity: 5 }),
  'POST /subscriptions/{subscriptionId}/discount': ({ couponId }, mine) => [
    { what: 'both', body: { couponId } },
    { what: 'the coupon', path: { subscriptionId: mine.subscriptionId }, body: { couponId } },
  ],
  'DELETE /subscriptions/{subscriptionId}/discount': inPath(),
  'POST /subscriptions/{subscriptionId}/usage': inPath({ quantity: 5, idempotencyKey: 'a run' }),
  'GET /subscriptions/{subscriptionId}/usage': inPath(),
  'POST /subscriptions/{subscriptionId}/pause': inPath({}),
  'POST /subscriptions/{subscriptionId}/change-payer': inPath({}),
  'POST /subscriptions/{subscriptionId}/migrate': ({ priceId }, mine) => [
    { what: 'both', body: { priceId } },
    { what: 'the subscription', body: { priceId: mine.priceId } },
    { what: 'the price', path: { subscriptionId: mine.subscriptionId }, body: { priceId }, status: 400 },
  ],

  'POST /coupons': ({ offerId }) => [
    { what: 'the offer', body: { percentOff: '25', cycles: 1, offerIds: [offerId] }, status: 400 },
  ],
  'GET /coupons': NAMES_NOTHING,
  'GET /coupons/{couponId}': inPath(),
  'PATCH /coupons/{couponId}': inPath({ active: false }),
  'GET /coupons/{couponId}/redemptions': inPath(),

  'POST /payments': ({ customerId }) => [{ what: 'the customer', body: { ...payment('another'), customerId } }],
  'GET /payments': filteredBy('customerId', 'subscriptionId', 'offerId'),
  'GET /payments/{paymentId}': inEverySpelling(),
  'GET /payments/{paymentId}/proof': inEverySpelling(),
  'GET /payments/{paymentId}/invoice': inEverySpelling(),
  'POST /payments/{paymentId}/cancel': inEverySpelling(),
  'POST /payments/{paymentId}/refunds': inEverySpelling({ idempotencyKey: 'a refund' }),
  'GET /payments/{paymentId}/refunds': inEverySpelling(),
  'GET /payments/{paymentId}/refunds/{refundId}': inEverySpelling(),
  'POST /payments/{paymentId}/refunds/{refundId}/cancel': inEverySpelling(),
  'POST /payments/{paymentId}/refunds/{refundId}/sent': inEverySpelling({ txHash: null }),

  'GET /revenue': filteredBy('offerId'),
  'GET /revenue/cohorts': filteredBy('offerId'),
  'GET /settlements': ({ paymentId }) => [
    { what: 'the payment before the page', query: `startingAfter=${paymentId}`, status: 400 },
  ],

  'GET /account': NAMES_NOTHING,
  'PATCH /account': NAMES_NOTHING,
  'PATCH /webhooks/endpoint': NAMES_NOTHING,
  'GET /webhooks/endpoint': NAMES_NOTHING,
  'GET /webhooks/secret': NAMES_NOTHING,
  'POST /webhooks/secret/rotate': NAMES_NOTHING,

  'GET /events': ({ eventId }) => [{ what: 'the newest that it has', query: `known=${eventId}`, status: 200 }],
  'GET /events/{eventId}': inPath(),
  'POST /events/{eventId}/redeliver': inPath({}),

  'POST /sandbox/charge': ({ subscriptionId }) => [{ what: 'the subscription', body: { subscriptionId } }],
  'POST /sandbox/advance': ({ subscriptionId }) => [{ what: 'the subscription', body: { subscriptionId, days: 1 } }],
};

/** Ids that nobody has. */
const NOBODYS: Ids = {
  offerId: 'offer_01hm0000000000000000000009',
  priceId: 'price_01hm0000000000000000000009',
  walletId: 'wal_01hm0000000000000000000009',
  customerId: 'cust_01hm0000000000000000000009',
  subscriptionId: 'sub_01hm0000000000000000000009',
  paymentId: 'pay_01hm0000000000000000000009',
  eventId: 'evt_01hm0000000000000000000009',
  couponId: 'cpn_01hm0000000000000000000009',
};

// A live key charges on a mainnet, so this test makes one.
const http = await startHttp({ chains: [localChain(), { ...localChain(), chainId: 8453 }] });
// This test charges nothing, so nobody must wait for a result.
http.billing.engine.interrupt();
const [one, other] = [await merchant(), await merchant()];
const tenants: readonly Tenant[] = [
  { name: 'one merchant, test', mode: 'test', key: one.testKey, ids: await possessions(one.testKey) },
  { name: 'one merchant, live', mode: 'live', key: one.liveKey, ids: await possessions(one.liveKey) },
  { name: 'another merchant, test', mode: 'test', key: other.testKey, ids: await possessions(other.testKey) },
  { name: 'another merchant, live', mode: 'live', key: other.liveKey, ids: await possessions(other.liveKey) },
];

const named = ROUTES.map((row) => [`${row.method} ${row.path}`, row] as const);

describe('resources of another merchant or environment', () => {
  it('have a case for every route of the table, and for no other', () => {
    expect(Object.keys(CASES).sort()).toEqual(named.map(([name]) => name).sort());
    for (const [name, { path }] of named) {
      if (path.includes('{')) expect([name, CASES[name] === NAMES_NOTHING]).toEqual([name, false]);
    }
  });

  it.each(named.filter(([name]) => CASES[name] !== NAMES_NOTHING))(
    'get the answer of an unknown id from %s, byte for byte, and stay unchanged',
    async (name, row) => {
      const before = await whatAllHave();
      for (const caller of tenants) {
        for (const owner of tenants.filter((tenant) => tenant !== caller)) {
          const theirs = namings(name, row, owner.ids, caller.ids);
          const nobodys = namings(name, row, NOBODYS, caller.ids);
          for (const [index, naming] of theirs.entries()) {
            const about = `${caller.name}, naming ${naming.what} of ${owner.name}`;
            const [found, missing] = [await ask(row, naming, caller), await ask(row, nobodys[index] ?? naming, caller)];
            const unnamed = { ...found, text: withoutIds(found.text, owner.ids) };
            expect([about, unnamed]).toEqual([about, { ...missing, text: withoutIds(missing.text, NOBODYS) }]);
            expect([about, found.status]).toEqual([about, expectedStatus(row, naming, caller)]);
            if (found.status === 404) expect([about, found.text]).toEqual([about, expect.stringMatching(NOT_FOUND)]);
          }
        }
      }
      expect(await whatAllHave()).toEqual(before);
    },
  );

  it('are not in the lists of others', async () => {
    for (const path of ['/offers', '/wallets', '/customers', '/subscriptions', '/payments', '/events', '/coupons']) {
      const replies = await Promise.all(tenants.map(({ key }) => http.call('GET', path, { key })));
      for (const [index, { body }] of replies.entries()) {
        const text = JSON.stringify(body);
        for (const { ids } of tenants.filter((_, other) => other !== index)) {
          expect(Object.values(ids).filter((id) => text.includes(id))).toEqual([]);
        }
        expect(Object.values(tenants[index]?.ids ?? {}).some((id) => text.includes(id))).toBe(true);
      }
    }
  });

  it('do not match a wallet filter of another merchant', async () => {
    const replies = await Promise.all(
      tenants.map(({ key }) => http.call('GET', `/customers?walletAddress=${ALICE}`, { key })),
    );
    const found = replies.map(({ body }) => JSON.stringify(body).match(/cust_[0-9a-z]{26}/g));
    expect(found).toEqual(tenants.map(({ ids }) => [ids.customerId]));
  });
});

/** A cycle has three spellings, and each one is equally unknown. */
function inEverySpelling(body?: object): Case {
  return ({ paymentId }) =>
    ['pay_', 'inv_', 'sub-pay-'].map((prefix) => ({
      what: `${prefix}…`,
      path: { paymentId: paymentId.replace('pay_', prefix), refundId: 'ref_01hm0000000000000000000009' },
      ...(body === undefined ? {} : { body }),
    }));
}

function payment(idempotencyKey: string): object {
  return { toWallet: BOB, fromWallet: ALICE, amount: '1', tokenKey: TOKEN, idempotencyKey };
}

function namings(name: string, { path }: Route, theirs: Ids, mine: Ids): readonly Naming[] {
  const about = CASES[name];
  if (typeof about !== 'function') throw new Error(`${name} has no case in this table`);
  const parameters = { ...theirs, id: theirs.walletId };
  return about(theirs, mine).map((naming) => ({
    ...naming,
    path: Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => [
        parameter,
        naming.path?.[parameter] ?? z.string().parse(Reflect.get(parameters, parameter)),
      ]),
    ),
  }));
}

/** A key of the other mode is refused before the search (reference, section 8). */
function expectedStatus(row: Route, { status = 404 }: Naming, { mode }: Tenant): number {
  return takesMode(row, mode) ? status : 403;
}

/** The raw answer without the parts that differ in every answer. */
async function ask({ method, path }: Route, naming: Naming, { key }: Tenant) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => naming.path?.[parameter] ?? '');
  const query = naming.query === undefined ? '' : `?${naming.query}`;
  const response = await fetch(`${http.url}/v1${filled}${query}`, {
    method,
    headers: { 'X-API-Key': key },
    ...(naming.body === undefined ? {} : { body: JSON.stringify(naming.body) }),
  });
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status: response.status, headers: Object.fromEntries(headers), text: await response.text() };
}

/** A batch names the item of each result. */
function withoutIds(text: string, ids: Ids): string {
  return Object.values(ids).reduce((shorter, id) => shorter.replaceAll(id, ''), text);
}

/** All stored data of all merchants. */
async function whatAllHave(): Promise<unknown> {
  const { store } = http;
  const records = await Promise.all(
    (['offers', 'wallets', 'customers', 'coupons', 'redemptions', 'idempotencyKeys', 'events'] as const).map((from) =>
      store.records.find(from, EVERYTHING),
    ),
  );
  const actors = await Promise.all(
    (['subscription', 'payment'] as const).map((kind) => store.actors.find(kind, EVERYTHING)),
  );
  return [...records, ...actors];
}

const EVERYTHING = { where: {}, limit: 1_000 } as const;

async function merchant() {
  const made = await http.merchant();
  await http.store.records.change('merchants', made.merchant._id, {}, { set: { limitFactor: 10_000 } });
  return made;
}

async function possessions(key: string): Promise<Ids> {
  const make = async (path: string, body: object) => http.call('POST', path, { key, body });
  const names = { identifier: 'pro', idempotencyKey: 'one' };
  const offer = await make('/offers', offerBody({ pricing: [PRICING, PRICING], ...names }));
  const priceId = priceIdOf(offer.body);
  const wallet = await make('/wallets', { tokenKey: TOKEN, receiverWallet: BOB });
  const customerId = idOf(await make('/customers', { wallets: [WALLET] }));
  const subscription = await make('/subscriptions', { customerId, priceId });
  const paid = await make('/payments', { ...payment(`of ${customerId}`), customerId });
  const logged = await http.call('GET', '/events?event=customer.created&wait=10&known=none', { key });
  const [eventId = ''] = idsOf(logged, 'events');
  return {
    eventId,
    offerId: idOf(offer),
    priceId,
    walletId: idOf(wallet),
    customerId,
    subscriptionId: idOf(subscription),
    paymentId: idOf(paid),
    couponId: idOf(await make('/coupons', { code: 'WELCOME', percentOff: '25', cycles: 1 })),
  };
}
