import { createClient, verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@tideline/client/node';
import express from 'express';

const { TIDELINE_API_KEY = '', TIDELINE_URL = '', TIDELINE_WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
const mode = TIDELINE_API_KEY.startsWith('tl_live_') ? 'live' : 'test';
const tideline = createClient({ apiKey: TIDELINE_API_KEY, baseUrl: TIDELINE_URL });

// The offer. The key makes one, however often this process starts. After an edit, use a new key: this one is for the
// old price.
const offer = await tideline.offers.create({
  name: 'Pro plan',
  pricing: [{ amount: '9.90', acceptedTokens: ['usdc-base'], billing: { type: 'recurring', interval: 'month' } }],
  idempotencyKey: '6f9c1f0e-5b52-4f6e-9a55-0d4d8f0f7c11',
});
const priceId = offer.pricing[0]?.id;

const app = express();

// An order. Your page sends its user to the link, where a wallet approves. A repeated order makes no second
// subscription.
app.post('/users/:user/orders/:order', async ({ params: { user, order } }, response) => {
  const { id: customerId } = await tideline.customers.create({ merchantReferenceId: user, idempotencyKey: user });
  const subscription = await tideline.subscriptions.create({ priceId, customerId, idempotencyKey: order });
  response.status(201).json({ subscription: subscription.id, authorize: subscription.authorizationUrl });
});

// Webhooks arrive here. The signature covers the raw bytes: no express.json() before this. `mode` refuses events of the
// other mode, so a test payment buys nothing that is real.
app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  try {
    handle(verifyWebhook(request.body, request.headers, TIDELINE_WEBHOOK_SECRET, { mode }));
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.reason);
  }
});

// An event may arrive twice, so this must be idempotent. `event.id` identifies it.
function handle({ event, data }: WebhookEvent): void {
  if (event === 'subscription.trialing' || event === 'subscription.active' || event === 'subscription.recovered')
    console.log('give access for', data.subscriptionId);
  if (event === 'subscription.past_due' || event === 'subscription.canceled')
    console.log('take it back for', data.subscriptionId);
  if (event === 'payment.failed') console.log('tell the user:', data.reason);
  // The first charge after a trial makes nothing past due, so this takes access back too.
  if (event === 'payment.failed' && data.source === 'subscription')
    console.log('take it back for', data.subscriptionId);
}

app.listen(Number(PORT), '127.0.0.1', () => console.log('the shop is open'));
