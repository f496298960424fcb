import { z } from 'zod';
import { authorizationUrlOf } from '../billing/subscriptions/authorizations.ts';
import { signedFields } from '../checkout/fields.ts';
import { answer } from '../http/endpoint.ts';
import { page } from '../http/input/fields.ts';
import { portalEndpoint } from './endpoint.ts';
import { detailView, subscriptionView } from './views.ts';
import { detailSchema, linkSchema, subscriptionsSchema, transactionSchema } from './wire.ts';

const params = z.object({ subscriptionId: z.string() });

export const listOwnSubscriptions = portalEndpoint({
  summary: 'List what the payer has subscribed to, the newest first',
  query: z.object({ startingAfter: page.startingAfter }),
  responses: { 200: subscriptionsSchema },
  handle: async ({ query, caller }, { services, catalog }) => {
    const { items, next } = await services.portal.subscriptions(caller.subject, query.startingAfter ?? null);
    return answer(200, { subscriptions: items.map((own) => subscriptionView(own, catalog)), next });
  },
});

export const getOwnSubscription = portalEndpoint({
  summary: 'Get a subscription, the limits that the payer has signed, and the present state on the chain',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, { services, catalog }) => {
    return answer(200, detailView(await services.portal.subscription(subject, subscriptionId), subject, catalog));
  },
});

export const cancelOwnSubscription = portalEndpoint({
  summary: 'End a subscription, now or at the end of its period',
  params,
  body: z.object({ atPeriodEnd: z.boolean() }),
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, body, caller: { subject } }, { services, catalog }) => {
    return answer(200, detailView(await services.portal.cancel(subject, subscriptionId, body), subject, catalog));
  },
});

export const resumeOwnSubscription = portalEndpoint({
  summary: 'Take the scheduled end of a subscription back',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, { services, catalog }) => {
    return answer(200, detailView(await services.portal.resume(subject, subscriptionId), subject, catalog));
  },
});

export const authorizeOwnSubscription = portalEndpoint({
  summary: 'Get a link at which the same or another wallet authorizes a subscription again',
  params,
  responses: { 201: linkSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, { services, config }) => {
    const token = await services.portal.authorize(subject, subscriptionId);
    return answer(201, { url: authorizationUrlOf(token, config.publicUrl) });
  },
});

export const draftRevocation = portalEndpoint({
  summary: 'Get the Solana transaction with which a wallet takes its approval back',
  params,
  body: z.object({ address: signedFields.address }),
  responses: { 200: transactionSchema },
  handle: async ({ params: { subscriptionId }, body: { address }, caller: { subject } }, { services }) => {
    return answer(200, { transaction: await services.portal.revocation(subject, subscriptionId, address) });
  },
});
