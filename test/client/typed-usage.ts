import {
  type Answered,
  createClient,
  type Offer,
  type Payment,
  type Subscription,
  signTestWebhook,
  type Tideline,
  TidelineError,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '@tideline/client/node';
import { verifyWebhook as verifyLater } from '@tideline/client/webhooks';

/**
 * Code that a merchant's engineer may write, and code that the compiler must refuse. Compiled with the repository, and
 * again with the published package; never run.
 */
export async function allowed(tideline: Tideline): Promise<string[]> {
  const offer: Offer = await tideline.offers.create({
    name: 'Pro plan',
    pricing: [{ amount: '9.90', acceptedTokens: ['usdc-base'], billing: { type: 'recurring', interval: 'month' } }],
    idempotencyKey: 'pro-plan',
  });
  const active: boolean = (await tideline.offers.update(offer.id, { active: false })).active;
  const [price] = offer.pricing;
  const customer = await tideline.customers.create({});
  const same = await tideline.customers.create();
  const tokens: readonly string[] = ['usdc-base'];
  await tideline.offers.addPrice(offer.id, { amount: '1', acceptedTokens: tokens, billing: { type: 'one_time' } });
  await tideline.customers.update(customer.id, { email: customer.email ?? undefined, wallets: customer.wallets });
  const subscription: Subscription = await tideline.subscriptions.create(
    { priceId: price?.id ?? '', customerId: customer.id },
    { timeoutMs: 5_000, maxRetries: 0, signal: AbortSignal.timeout(10_000) },
  );
  const { lastInvoice, status } = await tideline.subscriptions.get(subscription.id);
  const isLate: boolean = status === 'past_due' && lastInvoice?.failureReason === 'insufficient_balance';
  await tideline.subscriptions.cancel(subscription.id, { atPeriodEnd: true });
  await tideline.subscriptions.cancel(subscription.id);
  await tideline.subscriptions.retry(subscription.id, { maxRetries: 0 });
  const answered: Answered<Payment> = await tideline.payments.get('pay_1').withResponse();
  const failed: string[] = [];
  for await (const payment of tideline.payments.all({ status: 'failed', limit: 50 })) failed.push(payment.amount);
  const chains = (await tideline.currencies.list({ includeTestnets: true })).chains.map(({ operator }) => operator);
  const read = await tideline.raw.GET('/offers/{offerId}', { params: { path: { offerId: offer.id } } });
  const shown: string | undefined = read.data?.checkoutUrl ?? read.error?.error;
  return [String(active), same.id, String(isLate), String(answered.replayed), ...failed, String(chains), String(shown)];
}

export async function refused(tideline: Tideline): Promise<void> {
  // @ts-expect-error a key is needed
  createClient({ baseUrl: 'https://pay.example.com/v1' });
  // @ts-expect-error an offer has a name
  await tideline.offers.create({ pricing: [] });
  await tideline.offers.create({
    name: 'Pro plan',
    // @ts-expect-error an amount is never a number
    pricing: [{ amount: 9.9, acceptedTokens: ['usdc-base'], billing: { type: 'recurring', interval: 'month' } }],
  });
  // @ts-expect-error a typing error
  await tideline.customers.create({ nmae: 'Ada' });
  // @ts-expect-error a payment needs its key
  await tideline.payments.create({ toWallet: '0x1', amount: '1', tokenKey: 'usdc-base', fromWallet: '0x2' });
  // @ts-expect-error a number is not an id
  await tideline.offers.get(7);
  // @ts-expect-error an id is needed
  await tideline.offers.get();
  // @ts-expect-error two ids are needed
  await tideline.offers.retirePrice('offer_1');
  // @ts-expect-error no status of a payment
  await tideline.payments.list({ status: 'paid' });
  // @ts-expect-error the price of an offer is never changed
  await tideline.offers.update('offer_1', { pricing: [] });
  // @ts-expect-error retry takes no body, and there is no such option
  await tideline.subscriptions.retry('sub_1', { atPeriodEnd: true });
  // @ts-expect-error a field that a payment does not have
  (await tideline.payments.get('pay_1')).price;
  // @ts-expect-error no such operation
  await tideline.offers.migrate('offer_1');
  // @ts-expect-error no such path
  await tideline.raw.GET('/plans');
}

export function reported(body: string, headers: Headers, secret: string): string {
  try {
    return reportedBy(verifyWebhook(body, headers, secret, { mode: 'live', toleranceSeconds: 60 }));
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    if (error instanceof TidelineError) return `${error.status} ${error.requestId} ${error.retryAfter}`;
    throw error;
  }
}

export async function reportedLater(request: Request, secret: string): Promise<string> {
  // @ts-expect-error a mode is required
  await verifyLater(await request.text(), request.headers, secret);
  return reportedBy(await verifyLater(await request.text(), request.headers, secret, { mode: 'live' }));
}

/** The type of `data` follows from `event`. */
function reportedBy(event: WebhookEvent): string {
  switch (event.event) {
    case 'customer.created':
    case 'customer.updated':
      return event.data.wallets.map(({ address }) => address).join();
    case 'customer.deleted':
      // @ts-expect-error a customer that was deleted has no wallets
      event.data.wallets;
      return event.data.customerId;
    case 'subscription.created':
    case 'subscription.active':
    case 'subscription.trialing':
    case 'subscription.past_due':
    case 'subscription.recovered':
    case 'subscription.migrated':
      return event.data.priceId;
    case 'subscription.at_risk':
      return `${event.data.reason} at ${event.data.chargeAt}`;
    case 'subscription.blocked':
      return event.data.reason;
    case 'subscription.quantity_changed':
      return String(event.data.quantity);
    case 'subscription.usage_threshold':
      return `${event.data.level} %`;
    case 'subscription.paused':
      return event.data.pausedUntil ?? 'until it is resumed';
    case 'subscription.resumed':
      return event.data.currentPeriodEnd;
    case 'subscription.canceled':
      return event.data.reason ?? 'asked for';
    case 'payment.succeeded':
    case 'payment.pulled':
      return event.data.source === 'subscription' ? event.data.invoiceId : event.data.paymentId;
    case 'payment.failed':
      return event.data.reason;
    case 'payment.refunded':
    case 'payment.refund_reversed':
      return event.data.refundId;
    case 'payment.canceled':
      return event.data.paymentId;
    case 'wallet.updated':
      return event.data.newWallet ?? 'removed';
    default: {
      const never: never = event;
      return String(never);
    }
  }
}

export function signed(): void {
  const { body, headers } = signTestWebhook({ event: 'customer.deleted', data: { customerId: 'cust_1' } }, 'whsec_1');
  const text: string = body;
  reported(text, new Headers(headers), 'whsec_1');
  // @ts-expect-error data of another event
  signTestWebhook({ event: 'customer.deleted', data: { paymentId: 'pay_1' } }, 'whsec_1');
  // @ts-expect-error no such event
  signTestWebhook({ event: 'customer.dreamt', data: { customerId: 'cust_1' } }, 'whsec_1');
}
