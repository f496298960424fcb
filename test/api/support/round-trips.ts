import { createClient, type Tideline, TidelineError } from 'tideline/client';
import { walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { TOKEN_KEY } from '../../../stage/tokens.ts';
import type { CountedService } from './counted-service.ts';

/** What one request asks of MongoDB, including its effects and its webhook delivery (no URL is set). */
export interface RoundTrips {
  /** Method and path template. */
  readonly route: string;
  readonly status: number;
  readonly roundTrips: number;
  /** Documents that this process inserted, changed or deleted meanwhile. */
  readonly documents: number;
}

/** Sends a request for each row of the table. Throws if a row has none. */
export async function countRoundTrips(service: CountedService): Promise<RoundTrips[]> {
  const found = new Map<string, Omit<RoundTrips, 'route'>>();
  const options = { apiKey: service.merchant.testKey, baseUrl: `${service.url}/v1`, maxRetries: 0 };
  const api = createClient({
    ...options,
    fetch: async (request) => {
      const route = routeOf(request);
      const { response, ...cost } = await costOf(service, () => fetch(request));
      if (!found.has(route)) found.set(route, cost);
      return response;
    },
  });
  // The first use of a key on a day is noted, by a write of its own for which no request waits.
  await createClient(options).currencies.list();
  await sell(api, service);
  await subscribe(api, service, createClient(options));
  await configure(api);
  await readBack(api);
  return ROUTES.map(({ method, path }) => {
    const route = `${method} ${path}`;
    const cost = found.get(route);
    if (cost === undefined) throw new Error(`no request for ${route}: its round trips are not counted`);
    return { route, ...cost };
  });
}

/** Method and path template of a request: the template with the fewest parameters that fits. */
function routeOf({ method, url }: Request): string {
  const { pathname } = new URL(url);
  const fitting = ROUTES.map(({ method: own, path }) => ({ own, path, pieces: path.split(/\{\w+\}/) })).filter(
    ({ own, pieces }) => own === method && new RegExp(`^/v1${pieces.join('[^/]+')}$`).test(pathname),
  );
  const [first] = fitting.sort((one, other) => one.pieces.length - other.pieces.length);
  if (first === undefined) throw new Error(`${method} ${pathname} is no route`);
  return `${method} ${first.path}`;
}

async function costOf(service: CountedService, send: () => Promise<Response>) {
  await service.atRest();
  const before = { roundTrips: service.roundTrips(), documents: service.documents() };
  const response = await send();
  await response.clone().arrayBuffer();
  await service.untilIdle();
  const roundTrips = service.roundTrips() - before.roundTrips;
  const documents = service.documents() - before.documents;
  return { response, status: response.status, roundTrips, documents };
}

/** No create is counted with the key that a client adds. */
const NO_KEY = { idempotencyKey: null } as const;

function priced(amount: string) {
  const billing = { type: 'recurring', interval: 'month' } as const;
  return { amount, acceptedTokens: [TOKEN_KEY], billing };
}

/** A request that is refused is counted too. */
async function refused(call: PromiseLike<unknown>): Promise<void> {
  await Promise.resolve(call).catch((error: unknown) => {
    if (!(error instanceof TidelineError) || error.status >= 500) throw error;
  });
}

/** The requests about wallets and offers. */
async function sell(api: Tideline, { facts }: CountedService): Promise<void> {
  await api.currencies.list();
  const receiverWallet = walletNamed(facts, 'merchant').address;
  const wallet = await api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet });
  await api.wallets.list();
  await refused(api.wallets.delete(wallet.id));

  const { id, pricing } = await api.offers.create({ name: 'Pro', pricing: [priced('10.00')], ...NO_KEY });
  await api.offers.list();
  await api.offers.get(id);
  await api.offers.update(id, { description: 'All of it' });
  await api.offers.addPrice(id, priced('20.00'));
  await api.offers.retirePrice(id, pricing[0]?.id ?? '');
  const other = await api.offers.create({ name: 'Other', pricing: [priced('5.00')], ...NO_KEY });
  await api.offers.updateMany({ offers: [id, other.id].map((each) => ({ id: each, reference: 'r' })) });
  await api.offers.deleteMany({ ids: [other.id] });
  await api.offers.delete(id);
}

/** The requests about customers, subscriptions and payments. */
async function subscribe(api: Tideline, { facts }: CountedService, uncounted: Tideline): Promise<void> {
  const fromWallet = walletNamed(facts, 'approved').address;
  const seats = { ...priced('10.00'), model: 'per_unit', maxQuantity: 5 } as const;
  const byTheUnit = { ...priced('0.01'), model: 'metered', capAmount: '10.00' } as const;
  const pricing = [seats, priced('20.00'), byTheUnit];
  const [price, other, metered] = (await api.offers.create({ name: 'Plus', pricing, ...NO_KEY })).pricing;
  const wallets = [{ chainFamily: 'evm' as const, address: fromWallet }];
  const { id: customerId } = await api.customers.create({ wallets, ...NO_KEY });
  const leaving = await uncounted.customers.create({});
  await api.customers.list();
  await api.customers.get(customerId);
  await api.customers.update(customerId, { name: 'P' });
  await api.customers.createPortalSession(customerId, {});
  await api.customers.delete(leaving.id);

  const { id } = await api.subscriptions.create({ priceId: price?.id ?? '', customerId, ...NO_KEY });
  await api.sandbox.charge({ subscriptionId: id });
  await api.sandbox.advance({ subscriptionId: id, status: 'active' });
  await api.subscriptions.list();
  await api.subscriptions.get(id);
  await api.subscriptions.update(id, { customVariables: { seats: 3 } });
  await api.subscriptions.migrate(id, { priceId: other?.id ?? '' });
  await api.subscriptions.cancelMigration(id);
  await api.subscriptions.changeQuantity(id, { quantity: 2, idempotencyKey: 'two' });
  await api.subscriptions.changeQuantity(id, { quantity: 1 });
  await api.subscriptions.pause(id, {});
  await uncounted.subscriptions.resume(id);
  await api.subscriptions.changePayer(id);
  const byUse = await uncounted.subscriptions.create({ priceId: metered?.id ?? '', customerId });
  await api.subscriptions.recordUsage(byUse.id, { quantity: 5, idempotencyKey: 'five' });
  await api.subscriptions.usage(byUse.id);
  const coupon = await api.coupons.create({ code: 'WELCOME', percentOff: '25', cycles: 2 });
  await api.coupons.list();
  await api.coupons.get(coupon.id);
  await api.coupons.update(coupon.id, { active: true });
  await api.subscriptions.setDiscount(byUse.id, { couponId: coupon.id });
  await api.coupons.redemptions(coupon.id);
  await api.subscriptions.removeDiscount(byUse.id);
  await uncounted.subscriptions.cancel(byUse.id);
  await api.subscriptions.cancel(id, { atPeriodEnd: true });
  await api.subscriptions.resume(id);
  await api.sandbox.advance({ subscriptionId: id, status: 'past_due' });
  await api.subscriptions.retry(id);
  await api.subscriptions.delete(id);

  const toWallet = walletNamed(facts, 'merchant').address;
  const body = { fromWallet, toWallet, amount: '1.00', tokenKey: TOKEN_KEY, idempotencyKey: 'order-1' };
  const payment = await api.payments.create(body);
  await api.payments.list();
  await api.revenue.get();
  await api.revenue.cohorts();
  await api.settlements.list();
  await api.payments.get(payment.id);
  await api.payments.proof(payment.id);
  await refused(api.payments.invoice(payment.id));
  await refused(api.payments.cancel(payment.id));
  const refund = await api.payments.refund(payment.id, { idempotencyKey: 'refund-1' });
  await api.payments.refunds(payment.id);
  await api.payments.getRefund(payment.id, refund.id);
  await api.payments.noteRefundSent(payment.id, refund.id, {});
  await api.payments.cancelRefund(payment.id, refund.id);
}

/** The requests about the webhook endpoint come late, because deliveries are sent from then on. */
async function configure(api: Tideline): Promise<void> {
  await api.account.get();
  await api.account.update({ timeZone: 'Asia/Tokyo' });
  await api.webhooks.getEndpoint();
  await api.webhooks.setEndpoint({ url: 'https://hooks.invalid/tideline' });
  await api.webhooks.getSecret();
  await api.webhooks.rotateSecret();
}

/** The requests about the events so far; one event is delivered again. */
async function readBack(api: Tideline): Promise<void> {
  const [event] = (await api.events.list()).events;
  await api.events.get(event?.id ?? '');
  await api.events.redeliver(event?.id ?? '');
}
