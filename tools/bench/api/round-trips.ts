import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { TOKEN_KEY } from '../../../stage/tokens.ts';
import type { BenchRun } from '../bench.ts';
import { counted, type Row } from '../row.ts';
import type { Written } from '../written.ts';
import { type CountedService, startCountedService } from './counted-service.ts';

/** What one request asks of MongoDB, including its effects and its webhook delivery (no URL is set). */
export interface RoundTrips {
  /** Method and path template. */
  readonly route: string;
  readonly status: number;
  readonly roundTrips: number;
  /** Documents that were inserted, updated or deleted meanwhile. For a charge, with those of the worker. */
  readonly documents: number;
}

/** The MongoDB calls of one request to each endpoint, one after the other. */
export async function roundTrips({ progress }: Pick<BenchRun, 'progress'>): Promise<Row[]> {
  progress.step('round trips: starting a service, its worker, database and chain');
  const service = await startCountedService();
  try {
    progress.step('round trips: one request to every endpoint');
    const found = await countRoundTrips(service);
    return [
      ...found.map(({ route, status, roundTrips }) => counted(`${route} → ${status}`, 'round trips', roundTrips)),
      ...found.map(({ route, documents }) => counted(`${route}: written`, 'documents', documents)),
    ];
  } finally {
    await service.stop();
  }
}

/** Sends a request for each row of the table. Throws if a row has none. */
export async function countRoundTrips(service: CountedService): Promise<RoundTrips[]> {
  const walk = new Walk(service);
  await sell(walk);
  const bought = await subscribe(walk);
  await pay(walk, bought);
  await configure(walk);
  await readBack(walk);
  const found = ROUTES.map(({ method, path }) => ({ route: `${method} ${path}`, ...walk.counts(`${method} ${path}`) }));
  return found;
}

/** These wait for the worker, which signs and follows the charge. */
const CHARGES: ReadonlySet<string> = new Set([
  'POST /sandbox/charge',
  'POST /sandbox/advance',
  'POST /subscriptions/{subscriptionId}/retry',
  'POST /payments',
]);
const REST_MS = 20;

type Body = { readonly [field: string]: unknown };
type Params = { readonly [name: string]: string };

const answer = z.record(z.string(), z.unknown());
const withId = z.object({ id: z.string() });
const offer = z.object({ id: z.string(), pricing: z.array(withId) });

/** Sends requests one after the other, and keeps the cost of the first request of each route. */
class Walk {
  readonly service: CountedService;
  readonly #found = new Map<string, Omit<RoundTrips, 'route'>>();

  constructor(service: CountedService) {
    this.service = service;
  }

  async ask(route: string, { params = {}, body }: { params?: Params; body?: Body } = {}): Promise<unknown> {
    const [method = '', template = ''] = route.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    await this.service.atRest();
    const ask = () =>
      this.#counted(() =>
        fetch(`${this.service.url}/v1${path}`, {
          method,
          headers: { 'X-API-Key': this.service.merchant.testKey },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    const { response, answered, ...cost } = CHARGES.has(route) ? await ask() : await this.service.withoutWorker(ask);
    if (response.status >= 500) throw new Error(`${route} answered ${response.status}: ${JSON.stringify(answered)}`);
    if (!this.#found.has(route)) this.#found.set(route, { status: response.status, ...cost });
    return answered;
  }

  async #counted(send: () => Promise<Response>) {
    const written = await this.#documentsAtRest();
    const before = this.service.roundTrips();
    const response = await send();
    const answered = answer.parse(await response.json());
    await this.service.untilIdle();
    const roundTrips = this.service.roundTrips() - before;
    return { response, answered, roundTrips, documents: documentsIn(await this.service.written()) - written };
  }

  /** A write that a process has sent before it stood still may still come. */
  async #documentsAtRest(): Promise<number> {
    for (let last = -1; ; await delay(REST_MS)) {
      const now = documentsIn(await this.service.written());
      if (now === last) return now;
      last = now;
    }
  }

  /** Makes a resource for a later request, without counting. */
  async made(route: string, body: Body): Promise<string> {
    const [, path = ''] = route.split(' ');
    const { id } = withId.parse(await this.service.merchant.call('POST', path, body));
    return id;
  }

  counts(route: string): Omit<RoundTrips, 'route'> {
    const found = this.#found.get(route);
    if (found === undefined) throw new Error(`no request for ${route}: its round trips are not counted`);
    return found;
  }
}

function documentsIn({ inserted, updated, deleted }: Written): number {
  return inserted + updated + deleted;
}

function priced(amount: string): Body {
  return { amount, acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } };
}

/** The requests about wallets and offers. */
async function sell(walk: Walk): Promise<void> {
  const { facts } = walk.service;
  await walk.ask('GET /currencies');
  const receiverWallet = walletNamed(facts, 'merchant').address;
  const wallet = withId.parse(await walk.ask('POST /wallets', { body: { tokenKey: TOKEN_KEY, receiverWallet } }));
  await walk.ask('GET /wallets');
  await walk.ask('DELETE /wallets/{id}', { params: { id: wallet.id } });

  const made = offer.parse(await walk.ask('POST /offers', { body: { name: 'Pro', pricing: [priced('10.00')] } }));
  const params = { offerId: made.id, priceId: made.pricing[0]?.id ?? '' };
  await walk.ask('GET /offers');
  await walk.ask('GET /offers/{offerId}', { params });
  await walk.ask('PATCH /offers/{offerId}', { params, body: { description: 'All of it' } });
  await walk.ask('POST /offers/{offerId}/pricing', { params, body: priced('20.00') });
  await walk.ask('DELETE /offers/{offerId}/pricing/{priceId}', { params });
  const ids = [params.offerId, await walk.made('POST /offers', { name: 'Other', pricing: [priced('5.00')] })];
  await walk.ask('PATCH /offers/batch', { body: { offers: ids.map((id) => ({ id, reference: 'r' })) } });
  await walk.ask('DELETE /offers/batch', { body: { ids: ids.slice(1) } });
  await walk.ask('DELETE /offers/{offerId}', { params });
}

/** The requests about customers and subscriptions. Returns the wallet that has approved. */
async function subscribe(walk: Walk): Promise<{ readonly wallet: string }> {
  const wallet = walletNamed(walk.service.facts, 'approved').address;
  const wallets = [{ chainFamily: 'evm', address: wallet }];
  const pricing = [priced('10.00'), priced('20.00')];
  const [price, other] = offer.parse(await walk.ask('POST /offers', { body: { name: 'Plus', pricing } })).pricing;
  const customer = withId.parse(await walk.ask('POST /customers', { body: { wallets } }));
  const leaving = await walk.made('POST /customers', {});
  await walk.ask('GET /customers');
  await walk.ask('GET /customers/{customerId}', { params: { customerId: customer.id } });
  await walk.ask('PATCH /customers/{customerId}', { params: { customerId: customer.id }, body: { name: 'P' } });
  await walk.ask('POST /customers/{customerId}/portal-session', { params: { customerId: customer.id } });
  await walk.ask('DELETE /customers/{customerId}', { params: { customerId: leaving } });

  const order = { priceId: price?.id ?? '', customerId: customer.id };
  const { id: subscriptionId } = withId.parse(await walk.ask('POST /subscriptions', { body: order }));
  const params = { subscriptionId };
  await walk.ask('POST /sandbox/charge', { body: params });
  await walk.ask('POST /sandbox/advance', { body: { ...params, status: 'active' } });
  await walk.ask('GET /subscriptions');
  await walk.ask('GET /subscriptions/{subscriptionId}', { params });
  await walk.ask('PATCH /subscriptions/{subscriptionId}', { params, body: { customVariables: { seats: 3 } } });
  await walk.ask('POST /subscriptions/{subscriptionId}/migrate', { params, body: { priceId: other?.id ?? '' } });
  await walk.ask('POST /subscriptions/{subscriptionId}/cancel', { params, body: { atPeriodEnd: true } });
  await walk.ask('POST /subscriptions/{subscriptionId}/resume', { params });
  await walk.ask('POST /sandbox/advance', { body: { ...params, status: 'past_due' } });
  await walk.ask('POST /subscriptions/{subscriptionId}/retry', { params });
  await walk.ask('DELETE /subscriptions/{subscriptionId}', { params });
  return { wallet };
}

async function pay(walk: Walk, { wallet: fromWallet }: { readonly wallet: string }): Promise<void> {
  const toWallet = walletNamed(walk.service.facts, 'merchant').address;
  const body = { fromWallet, toWallet, amount: '1.00', tokenKey: TOKEN_KEY, idempotencyKey: 'order-1' };
  const { id: paymentId } = withId.parse(await walk.ask('POST /payments', { body }));
  await walk.ask('GET /payments');
  await walk.ask('GET /revenue');
  await walk.ask('GET /payments/{paymentId}', { params: { paymentId } });
  await walk.ask('GET /payments/{paymentId}/proof', { params: { paymentId } });
  await walk.ask('POST /payments/{paymentId}/cancel', { params: { paymentId } });
}

const log = z.object({ events: z.tuple([withId], withId) });

/** The requests about the events so far; one event is delivered again. */
async function readBack(walk: Walk): Promise<void> {
  const [{ id: eventId }] = log.parse(await walk.ask('GET /events')).events;
  await walk.ask('GET /events/{eventId}', { params: { eventId } });
  await walk.ask('POST /events/{eventId}/redeliver', { params: { eventId } });
}

/** The requests about the webhook endpoint come last, because deliveries are sent from then on. */
async function configure(walk: Walk): Promise<void> {
  await walk.ask('GET /webhooks/endpoint');
  await walk.ask('PATCH /webhooks/endpoint', { body: { url: 'https://hooks.invalid/tideline' } });
  await walk.ask('GET /webhooks/secret');
  await walk.ask('POST /webhooks/secret/rotate');
}
