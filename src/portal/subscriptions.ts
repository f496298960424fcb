import { z } from 'zod';
import {
  authorizeOwnSubscription as authorizeAgain,
  cancelOwnSubscription as cancel,
  changeOwnPlan as changePlan,
  correctOwnInvoices as correctInvoices,
  draftOwnRevocation,
  getOwnSubscription as findSubscription,
  listOwnSubscriptions as findSubscriptions,
  pauseOwnSubscription as pause,
  resumeOwnSubscription as resume,
  changeOwnQuantity as setQuantity,
  cancelOwnChange as takeChangeBack,
} from '../billing/portal/portal.ts';
import { authorizationUrlOf } from '../billing/subscriptions/authorizations.ts';
import { signedFields } from '../checkout/fields.ts';
import { answer } from '../http/endpoint.ts';
import { contactFields, given, invoiceFields, page, quantityField, text, timestamp } from '../http/input/fields.ts';
import { portalEndpoint } from './endpoint.ts';
import { detailView, subscriptionView } from './views.ts';
import { detailSchema, linkSchema, subscriptionsSchema, transactionSchema } from './wire.ts';

const params = z.object({ subscriptionId: z.string() });

export const listOwnSubscriptions = portalEndpoint({
  summary: 'List what the payer has subscribed to, the newest first',
  query: z.object({ startingAfter: page.startingAfter }),
  responses: { 200: subscriptionsSchema },
  handle: async ({ query, caller }, deps) => {
    const { items, next } = await findSubscriptions(deps, caller.subject, query.startingAfter);
    return answer(200, { subscriptions: items.map((own) => subscriptionView(own, deps.catalog)), next });
  },
});

export const getOwnSubscription = portalEndpoint({
  summary: 'Get a subscription, the limits that the payer has signed, and the present state on the chain',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, deps) => {
    return answer(200, detailView(await findSubscription(deps, subject, subscriptionId), deps.catalog));
  },
});

export const cancelOwnSubscription = portalEndpoint({
  summary: 'End a subscription, now or at the end of its period',
  params,
  body: z.object({ atPeriodEnd: z.boolean() }),
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, body, caller: { subject } }, deps) => {
    return answer(200, detailView(await cancel(deps, subject, subscriptionId, body), deps.catalog));
  },
});

export const pauseOwnSubscription = portalEndpoint({
  summary: 'Pause a subscription, until a date or until it is resumed',
  params,
  body: z.object({ until: timestamp.nullable() }),
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, body, caller: { subject } }, deps) => {
    return answer(200, detailView(await pause(deps, subject, subscriptionId, body.until), deps.catalog));
  },
});

export const resumeOwnSubscription = portalEndpoint({
  summary: 'Take the scheduled end of a subscription back, or end its pause',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, deps) => {
    return answer(200, detailView(await resume(deps, subject, subscriptionId), deps.catalog));
  },
});

export const changeOwnQuantity = portalEndpoint({
  summary: 'Change the quantity of a subscription from its next charge on',
  params,
  body: z.object({ quantity: quantityField }),
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, body, caller: { subject } }, deps) => {
    return answer(200, detailView(await setQuantity(deps, subject, subscriptionId, body.quantity), deps.catalog));
  },
});

export const changeOwnPlan = portalEndpoint({
  summary: 'Get a link at which the payer authorizes another price of the offer',
  params,
  body: z.object({ priceId: text(100) }),
  responses: { 201: linkSchema },
  handle: async ({ params: { subscriptionId }, body: { priceId }, caller: { subject } }, deps) => {
    const token = await changePlan(deps, subject, subscriptionId, priceId);
    return answer(201, { url: authorizationUrlOf(token, deps.config.publicUrl) });
  },
});

export const cancelOwnChange = portalEndpoint({
  summary: 'Take a change of the price back that has not begun',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, deps) => {
    return answer(200, detailView(await takeChangeBack(deps, subject, subscriptionId), deps.catalog));
  },
});

export const correctOwnInvoices = portalEndpoint({
  summary: 'Correct what later invoices say about the customer; null clears a field',
  params,
  body: z.object({ name: contactFields.name, ...invoiceFields }),
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, body, caller: { subject } }, deps) => {
    return answer(200, detailView(await correctInvoices(deps, subject, subscriptionId, given(body)), deps.catalog));
  },
});

export const authorizeOwnSubscription = portalEndpoint({
  summary: 'Get a link at which the same or another wallet authorizes a subscription again',
  params,
  responses: { 201: linkSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, deps) => {
    const token = await authorizeAgain(deps, subject, subscriptionId);
    return answer(201, { url: authorizationUrlOf(token, deps.config.publicUrl) });
  },
});

export const draftRevocation = portalEndpoint({
  summary: 'Get the Solana transaction with which a wallet takes its approval back',
  params,
  body: z.object({ address: signedFields.address }),
  responses: { 200: transactionSchema },
  handle: async ({ params: { subscriptionId }, body: { address }, caller: { subject } }, deps) => {
    return answer(200, { transaction: await draftOwnRevocation(deps, subject, subscriptionId, address) });
  },
});
