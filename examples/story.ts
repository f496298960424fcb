import { parseArgs } from 'node:util';
import { createClient, type Tideline, TidelineError, type WebhookEvent } from '@tideline/client/node';
import { type Inbox, openInbox } from './webhook-inbox.ts';

/*
 * The life of a subscription and a one-off payment, as a merchant's backend sees it, with nothing but @tideline/client.
 * Against a sandbox with local chains: npm run story -- --key tl_test_…
 */

const TOKEN = 'usdc-base';

const { values } = parseArgs({ options: { key: { type: 'string' }, url: { type: 'string' } } });
const apiKey = values.key ?? process.env['TIDELINE_API_KEY'] ?? '';
const baseUrl = values.url ?? process.env['TIDELINE_URL'] ?? 'http://127.0.0.1:3000/v1';

const tideline = createClient({ apiKey, baseUrl });
const inbox = await openInbox();
try {
  await listen(tideline, inbox);
  const wallets = await testWallets(baseUrl);
  const customerId = await customerWith(tideline, wallets.approved);
  await subscription(tideline, inbox, { customerId, payoutWallet: wallets.merchant });
  await oneOff(tideline, inbox, { customerId, from: wallets.approved, to: wallets.merchant });
  for (const event of inbox.events) say('webhook', `${event.event} ${event.id}`);
  say('verified', `${inbox.events.length} webhooks, ${inbox.refused()} refused`);
} finally {
  inbox.close();
}

/** Where webhooks go, and what they are verified with. Locally the service needs WEBHOOK_ALLOW_LOOPBACK=1 for it. */
async function listen({ webhooks }: Tideline, { url, setSecret }: Inbox): Promise<void> {
  await webhooks.setEndpoint({ url });
  const { secret } = await webhooks.rotateSecret();
  setSecret(secret);
  say('webhooks', `to ${url}`);
}

interface Devnet {
  readonly evm: { readonly wallets: readonly { readonly name: string; readonly address: string }[] };
}

/** Test wallets of the local chain: `approved` has approved every merchant, as a payer does at the checkout. */
async function testWallets(api: string): Promise<{ readonly approved: string; readonly merchant: string }> {
  const answer = await fetch(new URL('/devnet.json', api));
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: the story needs local chains`);
  const { evm }: Devnet = JSON.parse(await answer.text());
  const addressOf = (name: string): string => evm.wallets.find((wallet) => wallet.name === name)?.address ?? '';
  return { approved: addressOf('approved'), merchant: addressOf('merchant') };
}

/** A wallet is one customer's: the one that has it, else a new one. */
async function customerWith({ customers }: Tideline, address: string): Promise<string> {
  const [known] = (await customers.list({ walletAddress: address })).customers;
  if (known) return known.id;
  return (await customers.create({ name: 'Ada', wallets: [{ chainFamily: 'evm', address }] })).id;
}

async function subscription(
  { wallets, offers, subscriptions, sandbox }: Tideline,
  { until }: Inbox,
  { customerId, payoutWallet }: { readonly customerId: string; readonly payoutWallet: string },
): Promise<void> {
  await wallets.register({ tokenKey: TOKEN, receiverWallet: payoutWallet });
  const offer = await offers.create({
    name: 'Pro plan',
    pricing: [{ amount: '9.90', acceptedTokens: [TOKEN], billing: { type: 'recurring', interval: 'month' } }],
  });
  say('offer', `${offer.name}, ${offer.checkoutUrl}`);

  const priceId = offer.pricing[0]?.id;
  const order = { priceId, customerId, idempotencyKey: `order-${offer.id}` };
  const { id, status } = await subscriptions.create(order);
  const again = await subscriptions.create(order).withResponse();
  say('subscribed', `${status}; the same order again makes no second one: ${again.replayed && again.data.id === id}`);

  await until('subscription.active', ofSubscription(id, 'subscription.active'));
  say('first charge', await standing());

  const { outcome } = await sandbox.charge({ subscriptionId: id });
  say('charged ahead', `${outcome}; ${await standing()}`);

  const { now, steps } = await sandbox.advance({ subscriptionId: id });
  say('time passes', `${now.slice(0, 10)}, ${steps.map((step) => step.outcome).join()}; ${await standing()}`);

  await sandbox.advance({ subscriptionId: id, status: 'past_due' });
  const { reason } = dataOf(await until('payment.failed', ofSubscription(id, 'payment.failed')));
  say('renewal fails', `${reason}; ${await standing()}`);

  await subscriptions.retry(id);
  say('retried', await standing());

  const { cancelAt } = await subscriptions.cancel(id, { atPeriodEnd: true });
  await subscriptions.resume(id);
  say('resumed', `a cancel for ${cancelAt?.slice(0, 10)} was taken back; ${await standing()}`);

  await subscriptions.cancel(id);
  await until('subscription.canceled', ofSubscription(id, 'subscription.canceled'));
  say('canceled', await standing());

  const refusal = await subscriptions.retry(id).catch((error: unknown) => error);
  if (!(refusal instanceof TidelineError)) throw new Error('a canceled subscription was retried');
  say('refused', `${refusal.status} ${refusal.message}`);

  async function standing(): Promise<string> {
    const { status, cyclesCompleted, lastInvoice } = await subscriptions.get(id);
    return `${status}, ${cyclesCompleted} paid, last invoice ${lastInvoice?.status}`;
  }
}

async function oneOff(
  { payments }: Tideline,
  { until }: Inbox,
  { customerId, from, to }: { readonly customerId: string; readonly from: string; readonly to: string },
): Promise<void> {
  const payment = await payments.create({
    fromWallet: from,
    toWallet: to,
    amount: '5.00',
    tokenKey: TOKEN,
    customerId,
    idempotencyKey: `basket-${Date.now()}`,
  });
  say('one-off', `${payment.status}, ${payment.amount} in ${payment.pullTxHash?.slice(0, 10)}…`);
  await until('payment.succeeded', (event) => dataOf(event)['paymentId'] === payment.id);

  const counts = new Map<string, number>();
  for await (const { source, status } of payments.all({ customerId })) {
    const kind = `${source} ${status}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  say('payments', [...counts].map(([kind, count]) => `${count} ${kind}`).join(', '));
}

function ofSubscription(id: string, name: WebhookEvent['event']) {
  return (event: WebhookEvent): boolean => event.event === name && dataOf(event)['subscriptionId'] === id;
}

/** What an event carries, whatever its kind. */
function dataOf({ data }: WebhookEvent): { readonly [field: string]: unknown } {
  return { ...data };
}

function say(what: string, text: string): void {
  console.log(`${what.padEnd(14)} ${text}`);
}
